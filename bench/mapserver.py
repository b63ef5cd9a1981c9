"""MapServer under FastCGI behind nginx, as its documentation has it, over the benchmark's files.

    mapserver.py DATA PORT WORKERS

Ends with its processes when it is told to. Files stay open between requests (`CLOSE_CONNECTION=DEFER`).
"""

import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

# Layer: file, reference system, and what makes levels of values.
LAYERS = {
    "band": ("red.tif", 32632, "SCALE=0,4000"),
    "ortho": ("ortho.tif", 3857, None),
    "rgb": ("rgb.tif", 25832, None),
    "dem": ("dem.tif", 4326, "SCALE=0,3000"),
    "landcover": ("landcover.tif", 25832, None),
}
MAP = """MAP
  NAME "bench"
  EXTENT -20037508 -20037508 20037508 20037508
  PROJECTION "init=epsg:3857" END
  IMAGETYPE "png"
  OUTPUTFORMAT NAME "png" DRIVER "AGG/PNG" MIMETYPE "image/png" IMAGEMODE RGBA TRANSPARENT ON EXTENSION "png" END
{layers}END
"""
LAYER = """  LAYER NAME "{name}" TYPE RASTER STATUS ON DATA "{file}" PROJECTION "init=epsg:{epsg}" END
    PROCESSING "RESAMPLE=NEAREST" PROCESSING "CLOSE_CONNECTION=DEFER"{scale}
  END
"""
NGINX = """worker_processes {workers};
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream mapserv {{ server unix:{folder}/socket; }}
  server {{
    listen 127.0.0.1:{port};
    keepalive_requests 1000000;
    location = /healthz {{ return 200; }}
    location / {{
      fastcgi_pass mapserv;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
    }}
  }}
}}
"""


def installed():
    """The program, if it and nginx are here."""
    found = shutil.which("mapserv") or shutil.which("mapserv", path="/usr/lib/cgi-bin")
    return found if shutil.which("nginx") else None


def path(name, tile):
    z, x, y = tile
    return f"/?map=BENCH&mode=tile&tilemode=gmap&layers={name}&tile={x}+{y}+{z}"


def main():
    data, port, workers = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The workers of nginx are another user's when it is started by root.
        folder.chmod(0o755)
        layers = [LAYER.format(name=name, file=data / file, epsg=epsg, scale=f' PROCESSING "{scale}"' if scale else "") for name, (file, epsg, scale) in LAYERS.items()]
        (folder / "bench.map").write_text(MAP.format(layers="".join(layers)))
        (folder / "mapserver.conf").write_text(f'CONFIG\n  MAPS\n    BENCH "{folder}/bench.map"\n  END\nEND\n')
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, workers=workers))
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o666)
        listening.listen(256)
        environment = {"MAPSERVER_CONFIG_FILE": str(folder / "mapserver.conf"), "PATH": "/usr/bin:/bin"}
        children = [subprocess.Popen([installed()], stdin=listening, env=environment) for _ in range(workers)]
        children.append(subprocess.Popen([shutil.which("nginx"), "-c", str(folder / "nginx.conf")]))
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        try:
            children[-1].wait()
        finally:
            for child in children:
                child.terminate()
            for child in children:
                child.wait()


if __name__ == "__main__":
    main()
