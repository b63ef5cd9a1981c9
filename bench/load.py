"""Asks for tiles: in a closed loop (so many at once) or an open one (arrivals on schedule, however late answers are).

Plain sockets under asyncio, connections kept; it counts its own time on the cores, so that a report can say whether
it was in the way.
"""

import asyncio
import re
import time

COST = re.compile(r"edgetile-cost: gets=(\d+);bytes=(\d+)", re.IGNORECASE)
LENGTH = re.compile(r"content-length: (\d+)", re.IGNORECASE)
CHUNKED = re.compile(r"transfer-encoding: chunked", re.IGNORECASE)


class Tally:
    """What came of a run."""

    def __init__(self):
        self.latencies_s, self.bytes, self.gets, self.read_bytes, self.errors, self.statuses = [], 0, 0, 0, 0, {}
        self.client_cpu_s = self.wall_s = 0.0

    def quantile_ms(self, share):
        ordered = sorted(self.latencies_s)
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000, 2) if ordered else None

    def summary(self):
        count = len(self.latencies_s)
        return {
            "tiles": count,
            "errors": self.errors,
            "statuses": self.statuses,
            "tiles_per_s": round(count / self.wall_s, 2) if self.wall_s else None,
            "p50_ms": self.quantile_ms(0.5),
            "p95_ms": self.quantile_ms(0.95),
            "p99_ms": self.quantile_ms(0.99),
            "answer_bytes": round(self.bytes / count) if count else None,
            "gets": round(self.gets / count, 2) if count else None,
            "read_bytes": round(self.read_bytes / count) if count else None,
            "client_cpu_ms": round(self.client_cpu_s / count * 1000, 2) if count else None,
            "wall_s": round(self.wall_s, 2),
        }


class Line:
    """One kept connection."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def get(self, path, tally):
        if self.writer is None or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        if length := LENGTH.search(head):
            body = await self.reader.readexactly(int(length[1]))
        else:
            body = await self.chunks() if CHUNKED.search(head) else b""
        status = int(head[9:12])
        tally.statuses[status] = tally.statuses.get(status, 0) + 1
        tally.errors += status not in (200, 204)
        tally.bytes += len(body)
        if cost := COST.search(head):
            tally.gets += int(cost[1])
            tally.read_bytes += int(cost[2])
        if "connection: close" in head.lower():
            self.close()
        return status, body

    async def chunks(self):
        """A body in chunks (RFC 9112, 7.1)."""
        body = b""
        while size := int(await self.reader.readline(), 16):
            body += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readline()
        return body

    def close(self):
        if self.writer is not None:
            self.writer.close()
            self.writer = None


async def ask(line, path, tally, since, patience_s=60.0):
    """An answer that does not come in time is an error."""
    try:
        async with asyncio.timeout(patience_s):
            await line.get(path, tally)
        tally.latencies_s.append(time.perf_counter() - since)
    except (OSError, asyncio.IncompleteReadError):
        tally.errors += 1
        line.close()


async def closed_loop(port, paths, at_once, seconds=None):
    """Every path once in order, or round and round for some seconds."""
    tally, lines = Tally(), [Line(port) for _ in range(at_once)]
    start, cpu, following = time.perf_counter(), time.process_time(), iter(range(10**9))

    async def worker(line):
        for at in following:
            if (seconds is None and at >= len(paths)) or (seconds and time.perf_counter() - start > seconds):
                return
            await ask(line, paths[at % len(paths)], tally, time.perf_counter())

    await asyncio.gather(*(worker(line) for line in lines))
    tally.wall_s, tally.client_cpu_s = time.perf_counter() - start, time.process_time() - cpu
    for line in lines:
        line.close()
    return tally


async def open_loop(port, paths, rate, seconds):
    """Arrivals every 1/rate seconds; latency counts from the scheduled arrival."""
    tally, idle, tasks = Tally(), [], []
    start, cpu = time.perf_counter(), time.process_time()

    async def one(path, due):
        line = idle.pop() if idle else Line(port)
        await ask(line, path, tally, due, 15.0)
        idle.append(line)

    for at in range(int(rate * seconds)):
        due = start + at / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.ensure_future(one(paths[at % len(paths)], due)))
    await asyncio.gather(*tasks)
    tally.wall_s, tally.client_cpu_s = time.perf_counter() - start, time.process_time() - cpu
    for line in idle:
        line.close()
    return tally


def closed(*arguments, **options):
    return asyncio.run(closed_loop(*arguments, **options))


def opened(*arguments, **options):
    return asyncio.run(open_loop(*arguments, **options))


def fetch(port, path):
    """Status and body of one answer."""

    async def once():
        line = Line(port)
        answer = await line.get(path, Tally())
        line.close()
        return answer

    return asyncio.run(once())
