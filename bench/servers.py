"""The servers that are measured, and what the system says of them: time on the cores, memory, connections.

Each runs on the same cores, in turn, as a tree of processes whose figures are summed. Files are the same, by path.
"""

import contextlib
import dataclasses
import http.client
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")
MB = 1 << 20

# What TiTiler's deployment and documentation recommend for COGs (deployment/aws/app.py of its repository).
GDAL = {
    "GDAL_CACHEMAX": "200",
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
    "GDAL_HTTP_MERGE_CONSECUTIVE_RANGES": "YES",
    "GDAL_HTTP_MULTIPLEX": "YES",
    "GDAL_HTTP_VERSION": "2",
    "GDAL_INGESTED_BYTES_AT_OPEN": "32768",
    "VSI_CACHE": "TRUE",
    "VSI_CACHE_SIZE": "5000000",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclasses.dataclass
class Kind:
    """How a server is started: `command` with {port}, and what its requests call a file."""

    name: str
    command: list
    environment: dict
    prefix: str
    is_peer: bool = False


def edgetile(binary, data, name="edgetile", cache_mb=None):
    cache = [] if cache_mb is None else ["--cache-mb", str(cache_mb)]
    return Kind(name, [str(binary), "serve", "--port", "{port}", "--data", str(data), *cache], {"AWS_ALLOW_HTTP": "true"}, "")


def titiler(venv, data, workers):
    command = [str(venv / "bin/gunicorn"), "-k", "uvicorn_worker.UvicornWorker", "-w", str(workers), "-b", "127.0.0.1:{port}", "titiler.application.main:app"]
    return Kind("TiTiler", command, GDAL, f"{data}/", is_peer=True)


def versions(binary, venv):
    """Of both programs and what they are made of."""
    ask = "import importlib.metadata as m, rasterio; print(m.version('titiler.core'), m.version('rio-tiler'), rasterio.__gdal_version__)"
    peer = subprocess.run([str(venv / "bin/python"), "-c", ask], capture_output=True, text=True, check=True).stdout.split()
    ours = subprocess.run([str(binary), "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return {"edgetile": ours, "titiler": peer[0], "rio_tiler": peer[1], "gdal": peer[2]}


class Server:
    """A running server; leaving the context ends it."""

    def __init__(self, kind, cores, log, group=None):
        self.kind, self.port = kind, free_port()
        command = [part.format(port=self.port) for part in kind.command]
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **kind.environment}

        def before():
            os.setpgid(0, 0)
            os.sched_setaffinity(0, cores)
            if group:
                (pathlib.Path(group) / "cgroup.procs").write_text(str(os.getpid()))

        self.started = time.perf_counter()
        with open(log, "ab") as out:
            self.process = subprocess.Popen(command, env=environment, stdout=out, stderr=out, preexec_fn=before)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def first(self, path, patience_s=60):
        """Asks until it answers; seconds since the start of the process."""
        while time.perf_counter() - self.started < patience_s:
            if self.process.poll() is not None:
                raise SystemExit(f"{self.kind.name} ended before it answered: see its log under target/bench")
            with contextlib.suppress(ConnectionError):
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience_s)
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    raise SystemExit(f"{self.kind.name} answered {answer.status} to {path}")
                return time.perf_counter() - self.started
            time.sleep(0.0005)
        raise SystemExit(f"{self.kind.name} did not answer within {patience_s} s")

    def processes(self):
        """The process and all below it."""
        found = [self.process.pid]
        for pid in found:
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{pid}/task"):
                    found += [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
        return found

    def times_s(self):
        """User and system seconds of the tree so far, in ticks of 10 ms."""
        user = system = 0
        for pid in self.processes():
            with contextlib.suppress(OSError):
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                user, system = user + int(fields[11]), system + int(fields[12])
        return user / TICK, system / TICK

    def cpu_s(self):
        return sum(self.times_s())

    def memory_mb(self):
        """RSS, PSS and anonymous memory (what only the process can free) of the tree."""
        total = {"Rss": 0, "Pss": 0, "Anonymous": 0}
        for pid in self.processes():
            with contextlib.suppress(OSError):
                for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    name, _, rest = line.partition(":")
                    if name in total:
                        total[name] += int(rest.split()[0]) / 1024
        return {"rss": round(total["Rss"], 1), "pss": round(total["Pss"], 1), "anonymous": round(total["Anonymous"], 1)}


class Peak:
    """The highest resident and anonymous memory while the context lasts, looked at every 5 ms."""

    def __init__(self, server):
        self.server, self.peak, self.series, self.done = server, {"rss": 0.0, "anonymous": 0.0}, [], threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        pids, start = self.server.processes(), time.perf_counter()
        while not self.done.wait(0.005):
            rss = anonymous = 0
            for pid in pids:
                with contextlib.suppress(OSError):
                    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                        if line.startswith("VmRSS"):
                            rss += int(line.split()[1])
                        elif line.startswith("RssAnon"):
                            anonymous += int(line.split()[1])
            self.peak["rss"] = max(self.peak["rss"], rss / 1024)
            self.peak["anonymous"] = max(self.peak["anonymous"], anonymous / 1024)
            self.series.append((round(time.perf_counter() - start, 3), round(anonymous / 1024, 1)))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.peak = {name: round(value, 1) for name, value in self.peak.items()}


def machine_busy_s():
    """Seconds of all cores spent on anything, since the machine started."""
    user, nice, system, _, _, irq, soft, steal = map(int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + irq + soft + steal) / TICK


class Quota:
    """A cgroup that gives a share of one core, as Lambda does by memory; `None` where there are no cgroups to write."""

    ROOT = pathlib.Path("/sys/fs/cgroup/cpu")

    def __init__(self, share, period_us=20_000):
        self.path = self.ROOT / f"edgetile-bench-{os.getpid()}"
        self.share, self.period_us = share, period_us

    @classmethod
    def usable(cls):
        return os.access(cls.ROOT / "cpu.cfs_quota_us", os.W_OK) or (cls.ROOT / "cgroup.procs").exists() and os.access(cls.ROOT, os.W_OK)

    def __enter__(self):
        self.path.mkdir()
        (self.path / "cpu.cfs_period_us").write_text(str(self.period_us))
        (self.path / "cpu.cfs_quota_us").write_text(str(max(1000, round(self.period_us * self.share))))
        return self.path

    def __exit__(self, *_):
        for _ in range(50):
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.1)
