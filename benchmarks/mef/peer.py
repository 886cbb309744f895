"""What mef3io and mef_tools take, for the benchmarks of MEF sessions.

Connects to the port of localhost that it is given and answers lines. A request is
an operation and its arguments, an answer the seconds of wall clock, those of the
processor (this process, all its threads) and a value, all separated by tabs; an
operation that fails answers "error" and the reason. Only what is to be measured
is timed: opening before a read, and reading files of samples, are not.
"""

import importlib.metadata
import shutil
import socket
import sys
import time

import numpy as np

LIBRARIES = {}
try:
    import mef3io

    LIBRARIES["mef3io"] = mef3io
except ImportError:
    pass
try:
    import mef_tools.io

    LIBRARIES["mef_tools"] = mef_tools.io
except ImportError:
    pass

signals = {}
writers = {}


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    return time.perf_counter() - wall, time.process_time() - cpu, value


def untimed(value=""):
    return 0.0, 0.0, value


def libraries():
    names = [name.replace("_", "-") for name in LIBRARIES]
    if "mef_tools" in LIBRARIES:
        names.append("pymef")
    return untimed("; ".join(f"{n} {importlib.metadata.version(n)}" for n in names))


def load(name, path, kind):
    signals[name] = np.fromfile(path, dtype=kind)
    return untimed(str(len(signals[name])))


def write(library, path, name, scale, start, rate):
    """One channel 'a'. `scale` is a number of decimals, "step", or "x" and a factor."""
    samples, start, rate = signals[name], int(start), float(rate)
    shutil.rmtree(path, ignore_errors=True)

    def with_mef3io():
        writer = mef3io.Writer(path, n_threads=1)
        if scale.startswith("x"):
            writer.write_int32("a", samples, float(scale[1:]), start, rate)
        else:
            precision = scale if scale == "step" else int(scale)
            writer.write("a", samples, start, rate, precision=precision)
        writer.close()

    def with_mef_tools():
        writer = mef_tools.io.MefWriter(path)
        writer.write_data(
            samples, "a", start, rate, precision=int(scale), reload_metadata=False
        )
        writer.session.close()

    return timed(with_mef3io if library == "mef3io" else with_mef_tools)


def read(library, path, threads):
    """All of channel 'a', scaled."""
    if library == "mef3io":
        reader = mef3io.Reader(path, n_threads=int(threads))
        taken = timed(lambda: reader.read("a"))
        reader.close()
    else:
        reader = mef_tools.io.MefReader(path)
        taken = timed(lambda: reader.get_data("a"))
    return *taken[:2], repr(float(np.nansum(taken[2])))


def open_session(library, path, cache):
    """Opening, and what each channel is."""

    def with_mef3io():
        reader = mef3io.Reader(path, n_threads=1, cache=cache or None)
        for channel in reader.channels:
            reader.info(channel)
        return reader

    def with_mef_tools():
        reader = mef_tools.io.MefReader(path)
        for channel in reader.channels:
            reader.get_channel_info(channel)
        return reader

    taken = timed(with_mef3io if library == "mef3io" else with_mef_tools)
    return *taken[:2], str(len(taken[2].channels))


def first_data(library, path, cache, start, end):
    """Opening, and a window of the first channel."""

    def with_mef3io():
        reader = mef3io.Reader(path, n_threads=1, cache=cache or None)
        return reader.read(reader.channels[0], int(start), int(end))

    def with_mef_tools():
        reader = mef_tools.io.MefReader(path)
        return reader.get_data(reader.channels[0], int(start), int(end))

    taken = timed(with_mef3io if library == "mef3io" else with_mef_tools)
    return *taken[:2], str(len(taken[2]))


def start_writer(library, path, durability):
    shutil.rmtree(path, ignore_errors=True)
    if library == "mef3io":
        writers[path] = mef3io.Writer(
            path, n_threads=1, wait_for_disk=durability == "full"
        )
    else:
        writers[path] = mef_tools.io.MefWriter(path)
    return untimed()


def append(library, path, name, channels, start, rate, factor):
    """The same counts to so many channels."""
    writer, counts, start, rate = writers[path], signals[name], int(start), float(rate)
    names = [f"c{i:02d}" for i in range(int(channels))]

    def with_mef3io():
        for channel in names:
            writer.write_int32(channel, counts, float(factor), start, rate)

    def with_mef_tools():
        for channel in names:
            writer.write_data(counts, channel, start, rate, precision=0)

    return timed(with_mef3io if library == "mef3io" else with_mef_tools)


def end_writer(library, path):
    writer = writers.pop(path)
    return timed(writer.close if library == "mef3io" else writer.session.close)


def windows(path, threads, length, *starts):
    """Windows of all channels, one after the other."""
    reader = mef3io.Reader(path, n_threads=int(threads))
    names = reader.channels

    def work():
        total = 0.0
        for start in starts:
            samples = reader.read(names, int(start), int(start) + int(length))
            total += float(samples[0][0])
        return total

    taken = timed(work)
    reader.close()
    return *taken[:2], repr(taken[2])


OPERATIONS = {
    "libraries": libraries,
    "load": load,
    "write": write,
    "read": read,
    "open": open_session,
    "first_data": first_data,
    "start_writer": start_writer,
    "append": append,
    "end_writer": end_writer,
    "windows": windows,
}


def main():
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    stream = connection.makefile("rw", encoding="utf-8", newline="\n")
    for line in stream:
        operation, *arguments = line.rstrip("\n").split("\t")
        try:
            wall, cpu, value = OPERATIONS[operation](*arguments)
            answer = f"{wall:.9f}\t{cpu:.9f}\t{value if value is not None else ''}"
        except Exception as problem:  # the reason is a row of the table
            answer = "error\t" + repr(problem).replace("\t", " ").replace("\n", " ")
        stream.write(answer + "\n")
        stream.flush()


main()
