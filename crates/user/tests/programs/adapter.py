import array, json, os, struct, sys, time

def read(path):
    data = open(path, "rb").read()
    return array.array("f", data[10 + struct.unpack("<H", data[8:10])[0]:])

def write(path, numbers, n, shape=None, kind="<f4"):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape or (n, n)}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + numbers.tobytes())

def close(d, n):
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j])

def answer(**what): print(json.dumps(what), flush=True)

def load(about):
    global d, n
    assert about["element"] == "f32"
    d, n = read(about["graph"]), about["n"]
    answer(loaded={})

def solve():
    start = time.perf_counter()
    close(d, n)
    answer(solved={"seconds": time.perf_counter() - start})

def store(about):
    write(about["distances"], d, n)
    answer(stored={})
