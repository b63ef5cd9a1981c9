"""Hold the instruction counts of each step to stored ones: decode per codec, warp per kernel, expressions, colours, encoders.

    instructions.py BASELINE            counts each case of the baseline under valgrind; fails where one takes 10 % more
    instructions.py BASELINE --bless    stores the counts as they are now

Counts do not depend on what else a machine does. They do on the compiler and on what the processor offers (libraries
choose their loops by it; valgrind shows AVX2 at most), so a new compiler asks for a look and a blessing. Cases are the
benchmarks' own arguments: a new one is a line with the count 0, and a blessing.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

DRIFT = 0.10


def executables():
    """The benchmark programs of edgetile-raster, by name."""
    command = ["cargo", "bench", "--locked", "--profile", "fast", "-p", "edgetile-raster", "--benches", "--no-run", "--message-format=json"]
    found = {}
    for line in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and "bench" in message["target"]["kind"]:
            found[message["target"]["name"]] = message["executable"]
    return found


def count(executable, case):
    """Instructions of one pass."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no", "--toggle-collect=*measured_pass*"]
    ended = subprocess.run([*command, executable, "one", *case.split("|")], capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", ended.stderr)
    if ended.returncode or not collected or collected[1] == "0":
        raise SystemExit(f"{case}: {ended.stderr[-800:]}")
    return int(collected[1])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("baseline", type=pathlib.Path)
    options.add_argument("--bless", action="store_true")
    options = options.parse_args()
    stored = json.loads(options.baseline.read_text(encoding="utf-8"))
    programs = executables()
    cases = [(bench, case) for bench in stored for case in stored[bench]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(lambda one: count(programs[one[0]], one[1]), cases))
    grown = []
    for (bench, case), now in zip(cases, counts):
        before = stored[bench][case]
        drift = now / before - 1 if before else 0.0
        print(f"{bench:8} {case:32} {now / 1e6:9.3f} M  {drift:+7.1%}")
        if drift > DRIFT:
            grown.append(f"{bench} {case}: {before:,} -> {now:,} instructions ({drift:+.1%})")
        stored[bench][case] = now
    if options.bless:
        options.baseline.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    elif grown:
        raise SystemExit("\n".join(["over 10 % more than stored:", *grown, "if that is meant, say why in the commit and run `make bless-instructions`"]))


if __name__ == "__main__":
    main()
