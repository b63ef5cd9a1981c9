"""The requests that are replayed, and what is expected of the two answers.

`{files}` in a path is the address at which both servers find the files. Unless a case says otherwise the answers must
agree as judge.py says; a case that `differs` names the deliberate difference of differences.json that it shows, and how.
"""

import dataclasses
import json
from urllib.parse import quote

from shown import a_level_above, addresses, begins, clipped, counts, deeper, depths, flatter, header, holes, layers, names, nothing_there, one_level, only_type, outlines, parameters, shapes, statuses, straighter, types, unpathed, within, wrapped, zooms

# Of zoom 12: in the middle of the files, over the scene's slanted edge, over its corner with holes; beside the files.
MIDDLE, EDGE, CORNER, BESIDE = "12/2177/1421", "12/2179/1422", "12/2176/1420", "12/2190/1421"
# Of zoom 13, within the scene beyond its slanted edge.
NOTHING = "13/4359/2847"
RGB = "&bidx=3&bidx=2&bidx=1&rescale=0,4000"
NDVI = "&expression=(b4-b3)/(b4%2Bb3)"


@dataclasses.dataclass(frozen=True)
class Case:
    """A request. Pixels agree within `level` (1 for pictures, 1e-5 of the span for data), or on average within `lossy`;
    within their neighbourhood where they are `placed` by a projection. A share of `hidden` pixels may be transparent in one
    alone. `bare` arrays have no mask, `any_type` may be of
    another type. Of a list only the `ids` of its entries are compared. `skip` names members of documents that are not."""

    path: str
    level: float | None = None
    lossy: float = 0
    placed: bool = False
    hidden: float = 0
    bare: bool = False
    any_type: bool = False
    ids: bool = False
    skip: tuple = ()
    differs: str | None = None
    shown: object = None
    method: str = "GET"
    body: str | None = None
    accept: str | None = None


def tile(file, query="", place=MIDDLE, form=".png", grid="WebMercatorQuad", **how):
    return Case(f"/cog/tiles/{grid}/{place}{form}?url={{files}}/{file}.tif{query}", **how)


def npy(file, query="", place=MIDDLE, **how):
    return tile(file, query, place, ".npy", **how)


# ---------------------------------------------------------------- tiles
def bands():
    yield tile("on_scene", RGB)
    yield tile("on_scene", RGB, EDGE)
    yield tile("on_scene", "&bidx=4&rescale=0,6000", EDGE)
    yield tile("on_scene", "&bidx=4", EDGE)
    yield tile("on_u16")
    yield tile("on_rgb")
    yield tile("on_rgb", "&bidx=2")
    yield tile("on_rgb", "&bidx=3&bidx=3&bidx=1")
    yield tile("on_rgb_mask", "", CORNER)
    yield tile("on_rgba", "", EDGE)
    yield tile("on_rgba", "&bidx=1", EDGE)
    yield tile("on_gray")
    yield tile("on_gray_nodata")
    yield tile("on_gray_alpha", "", EDGE)
    yield tile("on_i16", "&rescale=-400,900")
    yield tile("on_dem", "&rescale=0,2600", EDGE)
    yield tile("on_nan", "&rescale=-1,1", CORNER)
    yield tile("on_f64", "&rescale=-1e6,1e6")
    yield tile("on_u32", "&rescale=0,4e9")
    yield tile("on_classes", "", CORNER)
    yield tile("on_classes_bare", "", CORNER)
    for file in ("scene", "rgb", "rgb_mask", "rgba", "gray_alpha", "i16", "dem", "nan", "f64", "u32", "classes_bare"):
        yield npy(f"on_{file}", "", EDGE)
    for zoom in ("11/1088/710", "10/544/355"):
        yield tile("on_scene", RGB, zoom)
        yield npy("on_dem", "", zoom)


def stretching():
    yield tile("on_scene", "&bidx=3&bidx=2&bidx=1&rescale=0,3000&rescale=0,2000&rescale=100,1500")
    yield tile("on_scene", "&bidx=1&rescale=[0,3000]")
    yield tile("on_scene", "&bidx=1&rescale=0, 3000".replace(" ", "%20"))
    yield tile("on_scene", "&bidx=1&rescale=1e3,2.5e3")
    yield tile("on_i16")
    yield tile("on_u32")
    yield tile("on_scene", "&unscale=true&bidx=4&rescale=0,0.5", EDGE)
    yield npy("on_scene", "&unscale=true", EDGE)
    yield tile("on_scene", f"&unscale=true{NDVI}&rescale=-1,1", EDGE)
    yield tile("on_rgb", "&color_formula=gamma RGB 1.5".replace(" ", "%20"))
    yield tile("on_rgb", quote("&color_formula=gamma R 1.2 gamma B 0.8", "&="))
    yield tile("on_rgb", quote("&color_formula=sigmoidal RGB 15 .35", "&="))
    yield tile("on_rgb", quote("&color_formula=saturation 1.4", "&="))
    yield tile("on_scene", RGB + quote("&color_formula=Gamma RGB 3.5 Saturation 1.7 Sigmoidal RGB 15 0.35", "&="), level=24)
    yield tile("on_scene", "&bidx=4&nodata=0", EDGE)
    yield tile("on_gray", "&nodata=100")
    yield tile("on_rgb", "&nodata=0")
    yield tile("on_rgb_mask", "&return_mask=false", CORNER)
    yield tile("on_scene", RGB + "&return_mask=false", EDGE)
    yield npy("on_scene", "&return_mask=false", EDGE, bare=True)
    yield tile("on_scene", RGB, EDGE, ".jpeg", lossy=3)
    yield npy("on_scene", "&bidx=4&rescale=0,6000", EDGE, level=1)
    yield npy("on_scene", RGB, EDGE, level=1)


def expressions():
    yield npy("on_scene", NDVI, any_type=True)
    yield tile("on_scene", NDVI + "&rescale=-1,1")
    yield tile("on_scene", NDVI + "&rescale=-1,1&colormap_name=rdylgn", level=9)
    for text in (
        "b4*1.5-b3", "b1/b2;b3", "b4-b3;b3-b2;b2-b1", "where(b4>b3,b4,b3)", "where((b4>2000)&(b3<1000),1,0)", "sqrt(b4)", "log(b4)+b1**0.5",
        "abs(b3-b4)", "b4//100", "b4%100", "-b4", "where(~(b4>2000),1,2)", "where((b4>2000)|(b3>900),1,2)", "where(b4==b3,1,2)", "where(b4!=b3,b4,1)", "minimum(b3,b4)",
        "2.5*(b4-b3)/(b4+6*b3-7.5*b1+10000)", "floor(b4/100)", "ceil(b4/100)", "arctan2(b4,b3)", "hypot(b1,b2)", "exp(b4/10000)", "B4-B3",
        "sin(b4/1000)+cos(b3/1000)", "log1p(b4)", "where(b4>3000,b4,where(b4>1500,b3,0))", "round(b4/100)", "b4*b4", "b3-b4", "3e3", "sign(b4-b3-1000.0)",
    ):
        yield npy("on_scene", f"&expression={quote(text, '')}", any_type=True)
    yield npy("on_nan", "&expression=b1*2", CORNER)
    yield npy("on_rgb", "&expression=b1%2Bb2%2Bb3", any_type=True)
    yield tile("on_rgb", "&expression=b3;b2;b1&rescale=0,255")


def colormaps():
    for name in ("viridis", "rdylgn_r", "cfastie", "terrain", "accent"):
        yield tile("on_gray", f"&colormap_name={name}", level=0)
    yield tile("on_scene", "&bidx=4&rescale=0,6000&colormap_name=viridis", EDGE, level=5)
    yield tile("on_dem", "&rescale=0,2600&colormap_name=gist_earth", EDGE, level=9)
    yield tile("on_classes_bare", "&colormap=" + quote(json.dumps({"1": "#ff0000", "2": "#00ff00", "3": [0, 0, 255], "4": [9, 9, 9, 0], "5": "#12345680"})), level=0)
    yield tile("on_classes", "&colormap=" + quote(json.dumps({"4": "#ff0000", "5": "#00ff00"})), level=0)
    yield tile("on_gray", "&colormap=" + quote(json.dumps({str(value): [value, 255 - value, 7, 255] for value in range(256)})), level=0)
    yield tile("on_dem", "&colormap=" + quote(json.dumps([[[0, 500], "#00ff00"], [[500, 1200], [255, 255, 0, 255]], [[1200, 1e4], "#ffffff80"]])), EDGE, level=0)
    yield tile("on_scene", NDVI + "&colormap=" + quote(json.dumps([[[-1, 0.2], "#aa5500"], [[0.2, 1.0], "#00aa00"]])), level=0)
    yield tile("on_gray", "&colormap=" + quote(json.dumps([[[0, 100], "#00ff00"], [[150, 256], "#0000ff"]])), level=0)
    yield npy("on_gray", "&colormap_name=viridis", level=0)
    yield tile("on_gray", "&colormap_name=viridis", form=".tif", level=0)


def forms():
    yield tile("on_gray_alpha", "", EDGE, ".jpeg", lossy=3)
    yield tile("on_rgb", form=".jpeg", lossy=3)
    yield tile("on_rgb", form=".webp", lossy=6)
    yield tile("on_rgb_mask", "", CORNER, ".webp", lossy=6)
    for file in ("rgb", "scene", "dem", "nan", "i16", "u32", "f64", "rgb_mask"):
        yield tile(f"on_{file}", "", EDGE, ".tif")
    yield tile("on_dem", "&rescale=0,2600", EDGE, ".tif", level=1)
    yield tile("on_rgb", form=".tiff")
    yield tile("on_rgb_mask", "", CORNER, form="")
    yield tile("on_rgb", form="", lossy=3)
    for size in (128, 300, 512):
        yield tile("on_rgb", f"&tilesize={size}", placed=True)
    yield tile("on_rgb", "&tilesize=512", "11/1088/710")
    yield tile("on_rgb", "&buffer=1")
    yield tile("on_gray", "&buffer=3.5", placed=True)
    yield npy("on_dem", "&buffer=2", EDGE)
    yield tile("on_rgb", "&padding=2")


def kernels():
    for name in ("nearest", "bilinear", "cubic", "cubic_spline", "lanczos", "average", "mode", "rms"):
        yield npy("on_scene", f"&resampling={name}&bidx=4", "11/1089/710", placed=True)
        yield npy("on_dem", f"&resampling={name}", "13/4355/2843", placed=True)
    for name in ("nearest", "bilinear", "cubic", "average", "max", "med", "q1"):
        yield npy("utm", f"&reproject={name}&bidx=1", "{utm}", placed=True)


def elsewhere():
    for file in ("utm", "gauss", "degrees", "swiss", "dutch", "british", "french", "laea", "albers", "polar"):
        yield npy(file, "", "{" + file + "}", placed=True)
        yield tile(file, "&bidx=1&rescale=0,4000&resampling=bilinear&reproject=bilinear", "{" + file + "-}", placed=True)
    yield tile("utm_rgb_mask", "", "{utm_rgb_mask-}", placed=True)
    yield npy("degrees_dem", "", "{degrees_dem}", placed=True)
    for place in ("0/0/0", "2/1/1", "3/7/2"):
        yield tile("world", "", place, placed=True)
    for grid in ("WorldCRS84Quad", "EuropeanETRS89_LAEAQuad", "WorldMercatorWGS84Quad", "WGS1984Quad"):
        yield tile("utm", "&bidx=2&rescale=0,4000&reproject=bilinear", "{utm@" + grid + "}", grid=grid, placed=True)
    yield tile("dutch", "&bidx=2&rescale=0,4000", "{dutch@UTM31WGS84Quad}", grid="UTM31WGS84Quad", placed=True)
    yield tile("polar", "&bidx=2&rescale=0,4000", "{polar@UPSArcticWGS84Quad}", grid="UPSArcticWGS84Quad", placed=True)
    yield tile("world", "", "0/0/0", grid="WorldCRS84Quad", placed=True)


def algorithms():
    for name in ("terrainrgb", "terrarium", "cast", "ceil", "floor"):
        yield tile("on_i16" if name in ("cast", "ceil", "floor") else "on_dem", f"&algorithm={name}" + ("&expression=b1/4%2B110" if name in ("cast", "ceil", "floor") else ""), EDGE)
    yield npy("on_dem", "&algorithm=terrainrgb&algorithm_params=" + quote('{"interval":1,"baseval":-500,"nodata_height":0}'), EDGE)
    yield npy("on_dem", "&algorithm=hillshade&buffer=3", level=1)
    yield npy("on_dem", "&algorithm=hillshade&buffer=3&algorithm_params=" + quote('{"azimuth":315,"angle_altitude":30,"z_exaggeration":2}'), level=1)
    yield npy("on_dem", "&algorithm=slope&buffer=3", any_type=True)
    yield tile("on_dem", "&algorithm=contours&algorithm_params=" + quote('{"increment":100,"thickness":2,"minz":0,"maxz":2600}'))
    yield npy("on_scene", "&algorithm=normalizedIndex&bidx=3&bidx=4", any_type=True)
    for name in ("min", "max", "median", "mean", "std", "var", "sum"):
        yield npy("on_scene", f"&algorithm={name}", EDGE, any_type=True)
    for name in ("grayscale", "bitonal"):
        yield tile("on_rgb", f"&algorithm={name}")


# ---------------------------------------------------------------- previews and boxes
def windows():
    for query in ("", "&max_size=256", "&max_size=100", "&width=300&height=200"):
        yield Case(f"/cog/preview.png?url={{files}}/on_rgb.tif{query}", placed=True)
    for query in ("", "&bbox=11.3,47.9,11.4,48.0", "&bbox=11.3,47.9,0,11.4,48.0,9&width=200&crs=EPSG:3857&f=png", "&width=100&height=80&f=npy"):
        yield Case(f"/cog/map?url={{files}}/on_rgb.tif{query}", placed=True)
    yield Case("/cog/map?url={files}/on_rgb.tif&bbox=1264000,6106000,1270000,6112000&bbox-crs=EPSG:3857", placed=True)
    yield Case("/cog/map?url={files}/on_rgb.tif&bbox=1,2,3")
    for query in ("", "&max_size=100", "&width=77", "&height=91", "&max_size=300&bidx=2"):
        yield Case(f"/cog/preview.npy?url={{files}}/utm.tif{query}")
    yield Case("/cog/preview/60x90.npy?url={files}/utm.tif")
    yield Case("/cog/preview/200x100.png?url={files}/on_rgb.tif", placed=True)
    for file in ("on_dem", "on_classes_bare", "swiss", "degrees"):
        yield Case(f"/cog/preview.npy?url={{files}}/{file}.tif&max_size=200", placed=True)
    yield Case("/cog/preview.npy?url={files}/on_scene.tif&max_size=256&rescale=0,4000", level=1)
    yield Case("/cog/preview.tif?url={files}/on_scene.tif&max_size=256", placed=True)
    yield Case("/cog/preview?url={files}/on_rgb.tif&max_size=256", lossy=6)
    yield Case("/cog/preview?url={files}/on_rgb_mask.tif&max_size=256", placed=True)
    yield Case(f"/cog/preview.png?url={{files}}/on_scene.tif{NDVI}&rescale=-1,1&colormap_name=viridis", level=5)
    yield Case("/cog/preview.npy?url={files}/utm.tif&dst_crs=EPSG:3857&max_size=512", placed=True)
    yield Case("/cog/preview.npy?url={files}/degrees_dem.tif&max_size=256&resampling=average", placed=True)
    for query in ("", "&max_size=100", "&width=33"):
        yield Case(f"/cog/bbox/11.34,47.99,11.36,48.01.npy?url={{files}}/on_scene.tif{query}&dst_crs=EPSG:3857")
    yield Case("/cog/bbox/1263000,6106000,1265000,6108000/50x40.npy?url={files}/on_scene.tif&coord_crs=EPSG:3857")
    yield Case("/cog/bbox/11.34,47.99,11.36,48.01.jpeg?url={files}/on_rgb.tif&dst_crs=EPSG:3857&max_size=200", lossy=6)
    for size in ("", "/200x300"):
        yield Case(f"/cog/bbox/11.3,48.0,11.45,48.1{size}.npy?url={{files}}/on_scene.tif", placed=True)
    yield Case("/cog/bbox/11.3,48.0,11.45,48.1.png?url={files}/on_scene.tif" + RGB, placed=True)
    yield Case("/cog/bbox/11.3,48.0,11.45,48.1.npy?url={files}/on_dem.tif&dst_crs=EPSG:3857", placed=True)
    yield Case("/cog/bbox/11.5,48.05,11.6,48.15.npy?url={files}/utm.tif", placed=True)
    for path in ("bbox/1,2,x,4.png", "bbox/1,2,3.png", "preview.gif", "preview.png?max_size=x"):
        yield Case(f"/cog/{path}{'&' if '?' in path else '?'}url={{files}}/on_rgb.tif")


# ---------------------------------------------------------------- features
SLANTED = [[11.331, 47.993], [11.372, 47.998], [11.361, 48.021], [11.343, 48.009], [11.331, 47.993]]
HOLE = [[11.35, 48.002], [11.352, 48.008], [11.358, 48.006], [11.35, 48.002]]
IN_METRES = [[1262000.3, 6105700.7], [1266100.9, 6106400.1], [1264800.4, 6109900.2], [1262000.3, 6105700.7]]
IN_UTM = [[688011.3, 5328023.7], [692507.1, 5327507.9], [691203.3, 5331508.1], [688011.3, 5328023.7]]
EAST = [[11.53, 48.07], [11.58, 48.06], [11.59, 48.12], [11.53, 48.07]]


def feature(*rings, kind="Polygon", coordinates=None):
    geometry = {"type": kind, "coordinates": coordinates or list(rings)}
    return {"type": "Feature", "id": "a", "properties": {"name": "field"}, "geometry": geometry}


def posted(path, body, prefix="/cog", **how):
    return Case(f"{prefix}/{path}", method="POST", body=json.dumps(body), **how)


def features():
    scene, utm = "url={files}/on_scene.tif", "url={files}/utm.tif"
    # In the file's own CRS, where both read the same samples.
    for query in ("", "&max_size=100", "&width=90&height=70", "&bidx=2", "&expression=b1/b2"):
        yield posted(f"feature.npy?{scene}&coord_crs=EPSG:3857{query}", feature(IN_METRES), any_type="expression" in query)
    yield posted(f"feature.npy?{utm}&coord_crs=EPSG:32632", feature(IN_UTM))
    yield posted(f"feature/80x60.npy?{scene}&coord_crs=EPSG:3857", feature(IN_METRES))
    yield posted(f"feature.png?{scene}&coord_crs=EPSG:3857{RGB}", feature(IN_METRES))
    yield posted(f"feature/100x90.webp?{scene}&coord_crs=EPSG:3857{RGB}", feature(IN_METRES), lossy=6)
    yield posted(f"feature?{scene}&coord_crs=EPSG:3857{RGB}", feature(IN_METRES))
    yield posted(f"feature.tif?{scene}&coord_crs=EPSG:3857", feature(IN_METRES))
    yield posted(f"feature.npy?{scene}&dst_crs=EPSG:3857", feature(SLANTED, HOLE), hidden=0.001)
    # Here and there pixels are of WGS 84.
    yield posted(f"feature.npy?{scene}", feature(SLANTED, HOLE), placed=True)
    two = feature(kind="MultiPolygon", coordinates=[[SLANTED], [[[11.38, 48.0], [11.39, 48.0], [11.39, 48.01], [11.38, 48.0]]]])
    yield posted(f"feature.npy?{scene}", two, placed=True)
    yield posted("feature.npy?url={files}/item.json&assets=dem", feature(SLANTED), "/stac", placed=True)
    words = tuple(f"properties.statistics.b{band}.description" for band in range(1, 5))
    for query in ("", "&cover_scale=1", "&cover_scale=3", "&p=5&p=50", "&histogram_bins=4", "&histogram_range=0,3000&bidx=2", "&max_size=64"):
        yield posted(f"statistics?{scene}&coord_crs=EPSG:3857{query}", feature(IN_METRES), skip=words)
    yield posted(f"statistics?{utm}&coord_crs=EPSG:32632", feature(IN_UTM))
    yield posted(f"statistics?{utm}&coord_crs=EPSG:32632&cover_scale=25", feature(IN_UTM))
    yield posted("statistics?url={files}/on_classes.tif&coord_crs=EPSG:3857&categorical=true", feature(IN_METRES))
    both = {"type": "FeatureCollection", "features": [feature(IN_METRES), feature([[x + 900, y - 400] for x, y in IN_METRES])]}
    yield posted(f"statistics?{scene}&coord_crs=EPSG:3857&bidx=4", both, skip=tuple(f"features[{at}].properties.statistics.b4.description" for at in (0, 1)))
    yield posted("statistics?url={files}/item.json&assets=dem&coord_crs=EPSG:3857", feature(IN_METRES), "/stac", skip=("properties.statistics.b1.description",))
    for body in ([], {}, {"type": "Feature"}, {"type": "Polygon", "coordinates": [SLANTED]}, feature(SLANTED[:-1]), feature([[1, "a"]] * 4), feature(kind="Circle")):
        yield posted(f"feature.png?{scene}", body)
        yield posted(f"statistics?{scene}", body)
    yield posted(f"statistics?{scene}&cover_scale=0", feature(SLANTED))
    yield posted(f"feature.gif?{scene}", feature(SLANTED))
    yield Case(f"/cog/feature.png?{scene}")
    yield posted(f"info?{scene}", feature(SLANTED))


# Errors have other words here, and the places and metadata of files are told in other places.
OWN_WORDS = ("Path", "Tags", "COG_errors", "COG_warnings", "Band Metadata")


def validations():
    for file in ("on_scene", "on_rgb", "on_rgb_mask", "on_dem", "on_classes", "on_nan", "utm", "degrees_dem", "swiss", "world"):
        yield Case(f"/cog/validate?url={{files}}/{file}.tif", skip=(*OWN_WORDS, *(("GEO.MaxZoom",) if file == "world" else ())))
    yield Case("/cog/validate?url={files}/on_scene.tif&strict=true", skip=OWN_WORDS)
    yield Case("/cog/validate?url={files}/on_scene.tif&strict=perhaps")


# ---------------------------------------------------------------- items
def items():
    def of(path, query="", **how):
        return Case(f"/stac/{path}{'&' if '?' in path else '?'}url={{files}}/item.json{query}", **how)

    web = f"tiles/WebMercatorQuad/{MIDDLE}"
    yield of(f"{web}.png", "&assets=rgb")
    yield of(f"{web}.npy", "&assets=u16")
    yield of(f"{web}.npy", "&assets=u16&assets=dem", any_type=True)
    yield of(f"{web}.npy", "&assets=u16&assets=dem&asset_as_band=true", any_type=True)
    yield of(f"{web}.npy", quote("&assets=scene|bidx=4,3", "&="))
    yield of(f"{web}.npy", quote("&assets=scene|bidx=4&assets=rgb|bidx=1", "&=") + "&expression=b1-b2", any_type=True)
    yield of(f"{web}.npy", quote("&assets=scene|expression=b4*2", "&="), any_type=True)
    yield of(f"{web}.png", quote("&assets=scene|bidx=3,2,1&rescale=0,4000", "&="))
    yield of(f"{web}.png", "&assets=u16&assets=u16&asset_as_band=true&expression=(b2-b1)/(b2%2Bb1%2B1)&rescale=-1,1")
    yield of("WebMercatorQuad/tilejson.json", "&assets=scene&minzoom=5&maxzoom=14", skip=("tiles", "raster_layers"))
    yield of("assets")
    yield of("info", "&assets=scene")
    yield of("info", "&assets=scene&assets=dem")
    yield of("point/11.35,48.0", "&assets=scene", skip=("band_descriptions",))
    yield of("point/11.35,48.0", "&assets=dem&assets=u16")
    yield of("preview.npy", "&assets=dem&max_size=256", placed=True)
    yield of("bbox/11.3,48.0,11.45,48.1.npy", "&assets=dem", placed=True)
    yield of(f"{web}.png", "&assets=nope")
    yield of(f"{web}.png")


def mosaics():
    def of(path, query="", name="mosaic", **how):
        return Case(f"/mosaicjson/{path}{'&' if '?' in path else '?'}url={{files}}/{name}.json{query}", **how)

    web = f"tiles/WebMercatorQuad/{MIDDLE}"
    for name in ("first", "highest", "lowest", "stdev", "lastbandlow", "lastbandhigh", "count"):
        yield of(f"{web}.npy", f"&pixel_selection={name}", any_type=True)
    yield of(f"{web}.npy")
    yield of(f"{web}.png", "&bidx=1&rescale=0,4000")
    yield of(f"{web}.png", "&expression=(b2-b1)/(b2%2Bb1)&rescale=-1,1")
    for place in ("12/2176/1420", "12/2179/1423", "11/1088/710", "10/544/355"):
        yield of(f"tiles/WebMercatorQuad/{place}.npy", "&bidx=1")
    yield of(f"{web}.png", "&pixel_selection=nope")
    yield of("WebMercatorQuad/tilejson.json", skip=("tiles", "raster_layers"))
    yield of(f"{web}/assets")
    yield of("point/11.4,48.0/assets")
    yield of("bbox/11.3,48.0,11.5,48.1/assets")
    # Its grid is an object's representation there.
    yield of("info", skip=("crs", "mosaic_tilematrixset"))
    yield of("point/11.4,48.0")
    yield of(f"{web}.npy", "&bidx=1", name="mosaic_laea")
    yield of(f"{web}/assets", name="mosaic_laea")
    yield of("point/11.4,48.0/assets", name="mosaic_laea")
    yield of("bbox/11.3,48.0,11.5,48.1/assets", name="mosaic_laea")
    yield of("EuropeanETRS89_LAEAQuad/tilejson.json", name="mosaic_laea", skip=("tiles", "raster_layers"))


# ---------------------------------------------------------------- what cannot be answered
def refusals():
    for query in (
        "bidx=x", "rescale=1", "rescale=a,b", "resampling=best", "nodata=x", "colormap_name=nope", "colormap=nope", "colormap={}", "algorithm=nope",
        "algorithm=hillshade&algorithm_params=nope", "expression=b1%2B", "expression=nope(b1)", "expression=b1%2Bred1", "expression=3", "tilesize=0",
        "tilesize=x", "color_formula=nope", "colormap_name=viridis", "return_mask=nope", "buffer=-1", "bidx=1&bidx=2&bidx=3&bidx=4", "",
    ):
        yield tile("on_scene", f"&{query}")
    yield Case(f"/cog/tiles/WebMercatorQuad/{MIDDLE}.png")
    yield Case("/cog/info")
    yield Case("/cog/tiles/NopeQuad/0/0/0.png?url={files}/on_rgb.tif")
    yield tile("on_rgb", form=".gif")
    for place in ("40/0/0", "3/9/1", "a/b/c"):
        yield tile("on_rgb", place=place)
    yield Case("/nope")
    for query in ("bidx=9", "bidx=0", "expression=b9", "buffer=0.3"):
        yield tile("on_scene", f"&{query}", differs="bad-parameters", shown=statuses(400, 500))
    yield tile("on_rgb", place="-1/0/0", differs="bad-parameters", shown=statuses(400, 500))
    yield Case(f"/cog/tiles/WebMercatorQuad/{MIDDLE}.png?url=", differs="bad-parameters", shown=statuses(400, 500))


# ---------------------------------------------------------------- what differs on purpose
def differences():
    def differs(name, shown, case):
        return dataclasses.replace(case, differs=name, shown=shown)

    def draws(other):
        return statuses(200, other)

    yield differs("rounding", a_level_above, tile("on_scene", "&bidx=4&rescale=0,6000", level=0))
    yield differs("zero-division", holes, npy("on_scene", "&expression=(b4-700)/(b3-700)", CORNER, any_type=True))
    yield differs("zero-division", holes, npy("on_scene", "&expression=b1/(b3-b4)", CORNER, any_type=True))
    yield differs("overflow", wrapped, npy("on_scene", "&expression=b4*b4*b4", any_type=True))
    yield differs("reductions", draws(400), npy("on_scene", "&expression=max(b3,b4)"))
    yield differs("names", draws(400), npy("on_scene", "&expression=(nir-red)/(nir%2Bred)"))
    yield differs("names", draws(400), npy("on_scene", "&expression=b04-b03"))
    for text in ("~(b4>2000)", "b4>=b3", "b4==b3", "(b4>2000)|(b3>900)"):
        yield differs("conditions", draws(500), npy("on_scene", "&expression=" + quote(text)))
    yield differs("conditions", draws(500), tile("on_gray_nodata", "&nodata=nan"))
    yield differs("computed-type", only_type, npy("on_scene", NDVI))
    yield differs("palette-data", shapes([2, 256, 256], [4, 256, 256]), npy("on_classes"))
    yield differs("place", within(placed=True), npy("utm", "", "{utm}"))
    yield differs("kernel", within(placed=True), npy("utm", "&resampling=bilinear", "{utm}"))
    yield differs("nodata", within(hidden=0.01, level=1), npy("on_dem", "&resampling=bilinear", "13/4358/2845"))
    yield differs("nodata", within(hidden=0.01), npy("on_nan", "&resampling=bilinear", "13/4358/2846"))
    yield differs("beside", statuses(204, 404), tile("on_rgb", place=BESIDE))
    yield differs("empty", statuses(204, 200), tile("on_scene", RGB, NOTHING))
    yield differs("slips", statuses(400, 200), tile("on_rgb", "&rescael=0,100"))
    yield differs("two-bands", statuses(400, 200), tile("on_scene", "&bidx=1&bidx=2&rescale=0,4000"))
    yield differs("sources", statuses(404, 500), tile("missing"))
    yield differs("sources", statuses(415, 500), Case("/cog/info?url={files}/item.json"))
    yield differs("sources", statuses(404, 500), Case("/cog/point/50,48?url={files}/on_scene.tif"))
    yield differs("error-caching", header("Cache-Control", "public, max-age=300", "public, max-age=3600"), tile("on_rgb", "&bidx=x"))
    yield differs("head", statuses(200, 405), dataclasses.replace(tile("on_rgb"), method="HEAD"))
    yield differs("accept", types("image/webp", "image/jpeg"), tile("on_rgb", form="", accept="image/webp"))
    yield differs("jpg-type", types("image/jpeg", "image/jpg"), tile("on_rgb", form=".jpg"))
    yield differs("webp", begins(b"VP8L", b"VP8 "), tile("on_rgb", form=".webp", level=0))
    yield differs("float-range", statuses(400, 200), tile("on_dem"))
    yield differs("retina", draws(422), tile("on_rgb", place=MIDDLE + "@2x"))
    yield differs("absolute", statuses(403, 500), Case("/cog/info?url=http://127.0.0.1:1/a.tif"))
    yield differs("shade", shapes([2, 256, 256], [2, 250, 250]), npy("on_dem", "&algorithm=hillshade"))
    yield differs("shade", within(hidden=0.02, level=1), npy("on_dem", "&algorithm=hillshade&buffer=3", EDGE))
    yield differs("slope-degrees", flatter, npy("degrees_dem", "&algorithm=slope&buffer=3", "{degrees_dem@WGS1984Quad}", grid="WGS1984Quad", any_type=True))
    yield differs("cast", clipped, npy("on_i16", "&algorithm=cast"))
    several = "&color_formula=" + quote("gamma RGB 1.2, saturation 1.3, sigmoidal RGB 15 0.35")
    yield differs("formula", within(level=8), tile("on_rgb", several))
    yield differs("ranges", statuses(400, 200), tile("on_rgb", "&rescale=0,100&rescale=0,200"))
    yield differs("ranges", statuses(400, 200), tile("on_dem", "&rescale=5,5"))
    yield differs("wide-holes", depths(16, 8), tile("on_scene", "&bidx=4", EDGE, form=""))
    yield differs("tif-alpha", counts(1, 2), tile("on_scene", "&bidx=4", EDGE, form=".tif"))
    yield differs("wmts-layers", layers, Case("/cog/WMTSCapabilities.xml?url={files}/on_rgb.tif"))
    assets = "url={files}/item.json&assets=scene&bidx=2"
    yield differs("stac-bidx", shapes([2, 256, 256], [5, 256, 256]), Case(f"/stac/tiles/WebMercatorQuad/{MIDDLE}.npy?{assets}"))
    yield differs("ramp", draws(500), tile("on_dem", "&colormap=" + quote(json.dumps([[0, "#000000"], [2600, "#ffffff"]]))))
    yield differs("falling-range", one_level, tile("on_dem", "&rescale=2600,0"))
    yield differs("soft-point", nothing_there, Case("/cog/point/11.35,48.0?url={files}/on_rgba.tif", skip=("band_",)))
    yield differs("tile-address", addresses, Case("/cog/WebMercatorQuad/tilejson.json?url={files}/on_scene.tif"))
    yield differs("world-zooms", deeper, tilejson("world"))
    yield differs("point-names", names, point("on_scene"))
    for name in ("hillshade", "contours", "terrainrgb"):
        yield differs("algorithm-words", parameters, Case(f"/algorithms/{name}"))
    yield differs("large-window", statuses(413, 200), Case("/cog/preview/2049x9.png?url={files}/on_rgb.tif"))
    yield differs("item-zooms", zooms, Case("/stac/WebMercatorQuad/tilejson.json?url={files}/item.json&assets=scene"))
    yield differs("item-outline", outlines, Case("/stac/info.geojson?url={files}/item.json&assets=dem&assets=scene"))
    for name in ("mean", "median"):
        path = f"/mosaicjson/tiles/WebMercatorQuad/{MIDDLE}.npy?url={{files}}/mosaic.json&pixel_selection={name}"
        yield differs("mosaic-means", within(level=1), Case(path))
    yield differs("validate", unpathed, Case("/cog/validate?url={files}/on_scene.tif"))
    yield differs("edges", straighter, posted("statistics?url={files}/utm.tif&dst_crs=EPSG:32632&cover_scale=40", feature(EAST)))
    line = feature(kind="LineString", coordinates=SLANTED)
    yield differs("no-area", statuses(400, 200), posted("feature.png?url={files}/on_rgb.tif", line))
    sides = [[[[side + x, y] for x, y in ((0, 0), (9, 0), (9, 9), (0, 9), (0, 0))]] for side in (171, -180)]
    across = feature(kind="MultiPolygon", coordinates=sides)
    yield differs("seam", shapes([2, 26, 51], [2, 2, 64]), posted("feature.npy?url={files}/world.tif&max_size=64", across))
    yield differs("variable-grids", statuses(404, 200), tile("world", place="0/0/0", grid="CDB1GlobalGrid"))


# ---------------------------------------------------------------- documents
def documents():
    for file in ("on_scene", "on_rgb_mask", "on_rgba", "on_dem", "on_nan", "on_classes", "utm", "degrees_dem", "swiss", "world"):
        yield Case(f"/cog/info?url={{files}}/{file}.tif")
    for file in ("utm", "world", "on_classes"):
        yield Case(f"/cog/info.geojson?url={{files}}/{file}.tif")
    for query in ("", "&tilesize=256", "&minzoom=5&maxzoom=14", "&tile_format=jpg&bidx=3&bidx=2&bidx=1"):
        yield tilejson("on_scene", query)
    yield tilejson("degrees", "", "WorldCRS84Quad")
    for file in ("utm", "gauss", "swiss", "dutch", "albers", "polar"):
        yield tilejson(file)
    for query in ("&bidx=4", NDVI, "&unscale=true"):
        yield point("on_scene", query)
    for file in ("on_dem", "on_classes"):
        yield point(file)
    yield point("on_scene", "&bidx=1", place="11.6,48.0")
    yield point("degrees", place="{degrees}")
    yield point("on_dem", "&coord_crs=EPSG:3857", place="1268000,6114000")
    yield point("utm", "&coord_crs=EPSG:32632", place="690000,5330000")
    yield point("on_dem", "&coord_crs=nope")
    yield point("on_scene", place="nope")
    for query in ("", "&max_size=100&p=5&p=50", "&histogram_bins=4", "&histogram_range=0,3000&bidx=2", "&expression=b1/b2"):
        yield Case(f"/cog/statistics?url={{files}}/utm.tif{query}")
    for file in ("on_dem", "on_nan", "on_i16", "on_rgb_mask", "degrees_dem"):
        yield Case(f"/cog/statistics?url={{files}}/{file}.tif&max_size=512")
    for query in ("&p=5&p=95&histogram_bins=20", "&histogram_range=0,3000", "&histogram_bins=0,1000,2000,4000", "&bidx=4"):
        yield Case(f"/cog/statistics?url={{files}}/on_scene.tif{query}", skip=tuple(f"b{band}.description" for band in range(1, 5)))
    # Of float32 here and of float64 there some values are the same here alone.
    yield Case(f"/cog/statistics?url={{files}}/on_scene.tif{NDVI}", skip=("b1.description", "b1.unique"))
    yield Case("/cog/statistics?url={files}/on_classes.tif&categorical=true&c=1&c=2&c=3")
    yield Case("/cog/statistics?url={files}/on_classes.tif&categorical=true")
    for path in ("/colorMaps", "/algorithms", "/tileMatrixSets"):
        yield Case(path, ids=True)
    for name in ("viridis", "rdylgn_r", "nope"):
        yield Case(f"/colorMaps/{name}")
    for query in ("f=png", "f=png&orientation=vertical", "f=png&width=100&height=7", "f=png&orientation=vertical&width=30&height=600"):
        yield Case(f"/colorMaps/viridis?{query}")
    yield Case("/algorithms/nope")
    for name in ("WebMercatorQuad", "WorldCRS84Quad", "WGS1984Quad", "WorldMercatorWGS84Quad", "EuropeanETRS89_LAEAQuad", "UPSArcticWGS84Quad", "UTM31WGS84Quad", "nope"):
        yield Case(f"/tileMatrixSets/{name}")
    for name in ("NZTM2000Quad", "LINZAntarticaMapTilegrid"):
        yield Case(f"/tileMatrixSets/{name}", skip=("crs",))
    for query in ("&bidx=4&rescale=0,6000", "&tile_format=png&expression=b4-b3&rescale=0,4000&colormap_name=viridis"):
        yield Case(f"/cog/WMTSCapabilities.xml?url={{files}}/on_scene.tif{query}", level=5)
    yield Case("/cog/WMTSCapabilities.xml?url={files}/on_rgb.tif")
    yield Case("/cog/WMTSCapabilities.xml")
    yield Case("/healthz", skip=("versions",))


def tilejson(file, query="", grid="WebMercatorQuad"):
    return Case(f"/cog/{grid}/tilejson.json?url={{files}}/{file}.tif{query}", skip=("tiles", "raster_layers"))


def point(file, query="", place="11.35,48.0"):
    return Case(f"/cog/point/{place}?url={{files}}/{file}.tif{query}", skip=("band_descriptions",) if query else ())


GROUPS = {
    "bands and masks": bands,
    "rescale, colour formula, nodata, scale": stretching,
    "expressions": expressions,
    "colormaps": colormaps,
    "formats and sizes": forms,
    "kernels": kernels,
    "grids": elsewhere,
    "algorithms": algorithms,
    "previews and boxes": windows,
    "features": features,
    "validate": validations,
    "STAC items": items,
    "mosaics": mosaics,
    "errors": refusals,
    "deliberate differences": differences,
    "documents": documents,
}
