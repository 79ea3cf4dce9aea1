"""Builds the compiled modules; everything else is in pyproject.toml.

Environment variables read here:

CLIPGRAM_BUILD_EXTENSION   1 (default) compiles the core; 0 makes a pure-Python wheel.
CLIPGRAM_DEBUG             1 turns Cython's bounds checks on and optimisation off.
CLIPGRAM_COVERAGE          1 builds for gcov, which then counts the lines of the .pyx, .pxd and .h files (GCC).

One that is empty counts as unset.
"""

import os
import sys
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


def switch(name: str, default: str) -> bool:
    value = os.environ.get(name) or default
    if value not in ("0", "1"):
        sys.exit(f"{name} is {value!r}; it must be 0 or 1")
    return value == "1"


class loud_build_ext(build_ext):
    """A core that cannot be compiled stops the build: a silent fallback would be cached as a wheel."""

    def run(self):
        try:
            super().run()
        except Exception as error:  # setuptools, distutils and the system each have their own
            sys.exit(
                f"clipgram: the compiled core could not be built: {error}\n"
                "A C compiler and the Python headers are needed (Debian: gcc python3-dev). Without them, install the\n"
                "pure-Python implementation, which is slower and gives the same results:\n\n"
                "    CLIPGRAM_BUILD_EXTENSION=0 pip install .\n\n"
                "On Windows:\n\n"
                "    set CLIPGRAM_BUILD_EXTENSION=0\n"
                "    pip install .\n\n"
            )


def extensions() -> list[Extension]:
    debug, coverage = switch("CLIPGRAM_DEBUG", "0"), switch("CLIPGRAM_COVERAGE", "0")
    flags = ["/O2"] if sys.platform == "win32" else ["-O0", "-g3"] if debug or coverage else ["-O3", "-g0"]
    modules = []
    headers = sorted(glob("ext/clipgram/*.pxd") + glob("ext/clipgram/*.h"))
    for name in ("_index", "_lists", "_ngrams", "_objects", "_text"):
        module = Extension(
            f"clipgram.{name}",
            [f"ext/clipgram/{name}.pyx"],
            include_dirs=["ext/clipgram"],
            depends=headers,
            extra_compile_args=flags + ["--coverage"] * coverage,
            extra_link_args=["--coverage"] * coverage,
        )
        # Checks live here, not in the .pyx headers (a header wins over setup.py), so that CLIPGRAM_DEBUG can turn them on.
        module.cython_directives = {
            "boundscheck": debug,
            "wraparound": False,
            "initializedcheck": debug,
            "cdivision": True,
        }
        module.cython_c_in_temp = True  # no generated C beside the sources
        module.cython_line_directives = coverage
        modules.append(module)
    return modules


setup(
    ext_modules=extensions() if switch("CLIPGRAM_BUILD_EXTENSION", "1") else [],
    cmdclass={"build_ext": loud_build_ext},
)
