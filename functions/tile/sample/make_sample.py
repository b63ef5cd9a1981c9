"""Paint the sample scene: invented land, as a satellite would have measured it.

The scene is drawn on a grid finer than the image, class over class (fields, woods, river, town, roads), each class with
a reflectance per band; shading, canopy and soil texture multiply it; the mean over each pixel's area then gives mixed
edges, like a sensor's. Pixels are 16 m wide and values are rounded to a coarse step, for the binary carries the file.

    python3 -m pip install -r requirements.txt && python3 make_sample.py sample.tif

Units: metres on a sheet of 12.8 km, x east and y south of its upper left corner, which the image shows at 16 m for
20; reflectance x 10000. The same seeds and the pinned packages give the same pixels.
"""

import sys

import numpy as np
import rasterio
from rasterio.io import MemoryFile
from rasterio.shutil import copy as copy_raster
from rasterio.transform import from_origin

SIZE = 640  # pixels of the image, each side
PIXEL = 16  # metres on the ground
FINE = 6.25  # metres of the sheet per pixel of the drawing
ORIGIN = (684_000.0, 5_338_000.0)  # upper left corner, EPSG:32632
BANDS = ("blue", "green", "red", "nir")
# Rounding of each band. Powers of two leave the low byte few values, which DEFLATE likes.
STEP = (32, 32, 32, 128)
M = 2048  # pixels of the drawing, each side

# Reflectance of each cover: blue, green, red, near infrared.
WHEAT = [(300, 640, 330, 4300), (340, 720, 400, 4600), (280, 560, 300, 3800)]
RAPE = [(400, 1330, 1370, 4300), (420, 1450, 1530, 4100), (410, 1200, 1170, 4500)]
SOIL = [(690, 930, 1180, 1750), (800, 1090, 1370, 2050), (560, 740, 930, 1450), (960, 1270, 1540, 2250)]
SPROUT = [(560, 830, 950, 2200), (480, 800, 760, 2700)]
MEADOW = [(380, 860, 520, 3700), (430, 940, 640, 3500), (350, 780, 460, 3900)]
LEAFY = (250, 580, 290, 4400)
CONIFER = (190, 330, 215, 2350)
CLEARING = (420, 640, 640, 2400)
SCRUB = (290, 560, 370, 3200)
WATER = (560, 730, 430, 170)
LAKE = (430, 640, 330, 120)
GRAVEL = (1180, 1390, 1520, 1900)
ASPHALT = (880, 930, 980, 1250)
TRACK = (1020, 1220, 1430, 2000)
RAIL = (620, 640, 680, 900)
RUNWAY = (1500, 1560, 1620, 1850)
ROOFS = [(720, 860, 1420, 1900), (650, 760, 1180, 1650), (980, 1010, 1060, 1350), (560, 580, 610, 820),
         (1600, 1630, 1650, 1900)]
HALLS = [(1750, 1790, 1800, 2100), (1400, 1430, 1450, 1700), (1150, 1090, 1050, 1300), (2050, 2060, 2050, 2300)]
GARDEN = (390, 720, 480, 3300)

Y, X = np.mgrid[0:M, 0:M].astype(np.float32) * FINE + FINE / 2


def fractal(seed, beta, longest, shortest=0.0):
    """Noise of mean 0 and deviation 1 whose power falls as frequency^-beta between two wavelengths in metres."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.rfft2(rng.standard_normal((M, M), dtype=np.float32))
    fy, fx = np.fft.fftfreq(M, FINE)[:, None], np.fft.rfftfreq(M, FINE)[None, :]
    f = np.hypot(fx, fy)
    gain = np.maximum(f, 1.0 / longest) ** (-beta / 2)
    if shortest:
        gain *= np.exp(-((f * shortest) ** 2))
    gain[0, 0] = 0.0
    noise = np.fft.irfft2(spectrum * gain, s=(M, M)).astype(np.float32)
    return noise / noise.std()


def pick(ids, salt):
    """A number in [0, 1) for each integer id: splitmix64's finaliser, so a field keeps its dice wherever it is asked."""
    h = np.asarray(ids).astype(np.uint64) + np.uint64((salt * 0x9E3779B97F4A7C15) & (2**64 - 1))
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((h ^ (h >> np.uint64(31))) >> np.uint64(40)).astype(np.float32) / np.float32(2**24)


def cells(x, y, size, salt):
    """Voronoi cells of a jittered grid: id, offset from the seed in metres, and the distance to the border (about)."""
    gx, gy = np.floor(x / size).astype(np.int64), np.floor(y / size).astype(np.int64)
    near = np.full(x.shape, np.inf, np.float32)
    second, ident = near.copy(), np.zeros(x.shape, np.int64)
    ox, oy = np.zeros_like(near), np.zeros_like(near)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            key = (gy + dy + 64) * 4096 + (gx + dx + 64)
            px = x - (gx + dx + 0.15 + 0.7 * pick(key, salt)) * size
            py = y - (gy + dy + 0.15 + 0.7 * pick(key, salt + 1)) * size
            d = np.hypot(px, py).astype(np.float32)
            closer = d < near
            second = np.where(closer, near, np.minimum(second, d))
            near = np.where(closer, d, near)
            ident, ox, oy = np.where(closer, key, ident), np.where(closer, px, ox), np.where(closer, py, oy)
    return ident, ox, oy, (second - near) / 2


def curve_distance(points, reach):
    """Distance to a curve, up to `reach` metres (else infinite), the nearest point's index, and the side as a sign."""
    points = np.asarray(points, np.float64)
    steps = np.hypot(*np.diff(points, axis=0).T)
    s = np.concatenate([[0], np.cumsum(steps)])
    dense = np.arange(0, s[-1], FINE)
    px, py = np.interp(dense, s, points[:, 0]), np.interp(dense, s, points[:, 1])
    tx, ty = np.gradient(px), np.gradient(py)
    distance = np.full((M, M), np.inf, np.float32)
    index, side = np.zeros((M, M), np.int32), np.zeros((M, M), np.float32)
    r = int(reach / FINE) + 1
    for i in range(len(px)):
        cx, cy = int(px[i] / FINE), int(py[i] / FINE)
        x0, x1, y0, y1 = max(cx - r, 0), min(cx + r + 1, M), max(cy - r, 0), min(cy + r + 1, M)
        if x0 >= x1 or y0 >= y1:
            continue
        box = np.s_[y0:y1, x0:x1]
        ddx, ddy = X[box] - px[i], Y[box] - py[i]
        d = np.hypot(ddx, ddy)
        closer = d < distance[box]
        distance[box][closer] = d[closer]
        index[box][closer] = i
        side[box][closer] = np.sign(tx[i] * ddy - ty[i] * ddx)[closer]
    return distance, index, side


def meander(start, heading, length, swing, wave, seed):
    """A sine-generated curve (Langbein & Leopold 1966): the heading itself swings, so bends may turn back."""
    rng = np.random.default_rng(seed)
    s = np.arange(0, length, 10.0)
    drift = np.interp(s, np.linspace(0, length, 14), rng.normal(0, 0.22, 14))
    size = np.interp(s, np.linspace(0, length, 18), rng.uniform(0.55, 1.0, 18)) * swing
    phase = np.cumsum(10.0 / np.interp(s, np.linspace(0, length, 18), rng.uniform(0.7, 1.35, 18) * wave)) * 2 * np.pi
    angle = heading + drift + size * np.sin(phase)
    return np.stack([start[0] + np.cumsum(np.cos(angle) * 10), start[1] + np.cumsum(np.sin(angle) * 10)], 1)


def smooth_line(*corners):
    """A road through corners given in kilometres: Chaikin's corner cutting, four times."""
    p = np.asarray(corners, np.float64) * 1000
    for _ in range(4):
        q = np.empty((2 * len(p) - 2, 2))
        q[0::2], q[1::2] = p[:-1] * 0.75 + p[1:] * 0.25, p[:-1] * 0.25 + p[1:] * 0.75
        p = np.concatenate([p[:1], q, p[-1:]])
    return p


class Scene:
    """The drawing: reflectance of every band, painted over in the order of the calls."""

    def __init__(self):
        self.bands = np.zeros((4, M, M), np.float32)

    def paint(self, mask, colour, amount=1.0):
        """Lay one reflectance over the pixels of `mask`; `amount` below 1 lets what is beneath shine through."""
        for band, value in zip(self.bands, colour):
            band[mask] += (value - band[mask]) * amount

    def paint_choice(self, mask, colours, dice):
        """Lay one of several reflectances, chosen by `dice` in [0, 1)."""
        table = np.asarray(colours, np.float32)
        chosen = (dice[mask] * len(table)).astype(np.int64)
        for band, column in zip(self.bands, table.T):
            band[mask] = column[chosen]

    def scale(self, factor, mask=slice(None)):
        """Multiply all bands: light, shadow, texture."""
        self.bands[:, mask] *= factor[mask]


def rotated(x, y, angle):
    """Coordinates along and across a direction."""
    return x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)


def shade(height):
    """Lambert's law on a height in metres, sun in the south-east at 40 degrees, relative to flat ground."""
    gy, gx = np.gradient(height, FINE)
    lit = (np.sin(0.7) - np.cos(0.7) * (0.66 * gx + 0.75 * gy)) / np.sqrt(1 + gx**2 + gy**2)
    return np.clip(lit / np.sin(0.7), 0.45, 1.4).astype(np.float32)


def draw_fields(scene):
    """Farmland: farms with a direction of their own, cut into strips and lots; each lot one crop. Answers lot ids."""
    wx, wy = X + 55 * fractal(11, 3.2, 2500, 200), Y + 55 * fractal(12, 3.2, 2500, 200)
    farm, ox, oy, border = cells(wx, wy, 1050.0, 21)
    angle = 0.35 + 0.5 * (pick(farm, 31) - 0.5) + np.where(pick(farm, 32) < 0.4, np.pi / 2, 0)
    along, across = rotated(ox, oy, angle)
    width = 70 + 190 * pick(farm, 33) ** 1.5
    strip = np.floor(across / width + 50)
    lot_length = 260 + 520 * pick(farm * 128 + strip.astype(np.int64), 34)
    lot = np.floor(along / lot_length + 30 + pick(farm * 128 + strip.astype(np.int64), 35))
    ident = (farm * 128 + strip.astype(np.int64)) * 128 + lot.astype(np.int64)

    dice, shade_dice = pick(ident, 41), pick(ident, 42)
    crops = [(0.31, WHEAT), (0.42, RAPE), (0.61, SOIL), (0.73, SPROUT), (1.0, MEADOW)]
    low = 0.0
    for high, colours in crops:
        scene.paint_choice((dice >= low) & (dice < high), colours, shade_dice)
        low = high
    # Tramlines and drill rows, the lot's own vigour, and a slow drift of soil across lots.
    rows = np.sin(across * 2 * np.pi / (34 + 16 * pick(ident, 43))) * 0.05 * np.clip(pick(ident, 44) * 2 - 1, 0, 1)
    vigour = 0.16 * (pick(ident, 45) - 0.5)
    soil = 0.06 * fractal(13, 2.8, 900, 60)
    scene.scale(1 + rows + vigour + soil)
    edge = np.minimum(np.abs(across / width - np.round(across / width)) * width, border)
    scene.paint((edge < 4) & (pick(strip.astype(np.int64) * 7 + farm, 46) < 0.55), SCRUB, 0.75)
    scene.paint(border < 5, TRACK, 0.8)
    return ident, dice


def draw_pivots(scene):
    """Circles watered by a turning arm, on the dry gravel plain in the north-east."""
    plain = fractal(51, 3.0, 2500, 100) * 260 + np.hypot((X - 9700) / 1.3, Y - 1700)
    dry = plain < 1750
    scene.paint(dry, (760, 1010, 1180, 2350), 0.8)
    scene.scale(1 + 0.09 * fractal(52, 1.9, 700, 25), dry)
    spots = [(8250, 1160, 430), (9180, 1010, 440), (10130, 1200, 440), (8730, 1930, 400), (9670, 2010, 430),
             (8380, 3330, 330), (10560, 1960, 390), (11050, 1170, 390)]
    crops = [WHEAT[0], MEADOW[0], SOIL[1], WHEAT[1], RAPE[1], LEAFY, SPROUT[1], WHEAT[2], SOIL[3]]
    for i, (cx, cy, radius) in enumerate(spots):
        r, turn = np.hypot(X - cx, Y - cy), np.arctan2(Y - cy, X - cx)
        inside = r < radius
        scene.paint(inside, crops[i])
        sector = (turn + 2.4 * i) % (2 * np.pi)
        if i % 3 != 1:
            scene.paint(inside & (sector < 0.7 + 0.55 * (i % 4)), crops[(i * 4 + 3) % 9])
        # The arm wets what it has just passed; its wheels leave rings.
        scene.scale(1.07 - 0.11 * (sector / (2 * np.pi)).astype(np.float32), inside)
        scene.scale(np.where(np.abs(r % 55 - 27) < 4, 0.91, 1.0).astype(np.float32), inside)
        scene.paint((np.abs(r - radius - 4) < 5) | (inside & (r < 12)), TRACK, 0.7)
        scene.paint(inside & (r > 0) & (np.abs(r * np.sin(sector)) < 4) & (np.cos(sector) > 0), TRACK, 0.55)
    return dry


def draw_woods(scene, height, lots, lot_dice, open_land):
    """Woods on the hills and in odd lots: two kinds of tree, crowns that catch light, clearings, and a shadow."""
    density = fractal(61, 2.7, 3600, 60) + 0.011 * (height - 60) + open_land
    edge = 0.10 * fractal(62, 1.4, 300, 20)
    wood = (density + edge > 1.05) | ((lot_dice > 0.965) & (open_land > -1))
    conifer = fractal(63, 2.4, 1500, 60) + 0.006 * (height - 80) > -0.1
    clearing = wood & (pick(lots, 64) < 0.06) & (density > 1.2)
    for kind, colour in ((conifer, CONIFER), (~conifer, LEAFY)):
        scene.paint(wood & kind, colour)
    scene.paint(clearing, CLEARING)
    crowns = 1 + 0.17 * np.clip(fractal(65, 0.6, 60, 9), -1.6, 2.2) + 0.08 * fractal(66, 2.0, 500, 40)
    scene.scale(crowns.astype(np.float32), wood & ~clearing)
    tall = wood & ~clearing
    for reach in (1, 2, 3):  # the sun stands in the south-east, so shadows fall to the north-west
        fallen = np.roll(tall, (-reach, -reach), (0, 1)) & ~tall
        scene.scale(np.full((M, M), 0.84, np.float32), fallen)
    return wood


def draw_river(scene, course):
    """The river in its belt of floodplain wood, gravel bars inside the bends, and two cut-off arms."""
    distance, index, side = curve_distance(course, 420)
    heading = np.unwrap(np.arctan2(*np.gradient(course, axis=0).T[::-1]))
    bend = np.interp(np.arange(0, 10 * len(course), FINE) / 10, np.arange(len(course)), np.gradient(heading))
    bend = bend[np.clip(index, 0, len(bend) - 1)]
    wobble = fractal(71, 2.2, 700, 40)
    belt = distance < 150 + 75 * wobble
    scene.paint(belt, LEAFY, 0.9)
    scene.scale((1 + 0.16 * fractal(72, 0.6, 60, 9)).astype(np.float32), belt)
    scene.paint(belt & (fractal(73, 2.2, 350, 30) > 0.75), MEADOW[0])
    for cx, cy, radius, start, sweep in ((2420, 6730, 250, 0.3, 3.6), (7700, 5230, 230, 2.9, 3.4)):
        r, turn = np.hypot(X - cx, Y - cy), (np.arctan2(Y - cy, X - cx) - start) % (2 * np.pi)
        scene.paint((np.abs(r - radius) < 62 + 12 * wobble) & (turn < sweep + 0.15), LEAFY)
        scene.paint((np.abs(r - radius) < 26 + 6 * wobble) & (turn < sweep), LAKE)
    width = 44 + 5 * wobble
    inner = np.clip(side * bend * 1e4 - 13 + 6 * wobble, 0, 11) * 5
    scene.paint(distance < width + inner, GRAVEL)
    scene.scale((1 + 0.07 * fractal(74, 1.2, 120, 15)).astype(np.float32), (distance < width + inner))
    river = distance < width
    scene.paint(river, WATER)
    scene.scale((1.12 - 0.2 * np.clip(distance / 45, 0, 1)).astype(np.float32), river & (bend * side < 0.002))
    return river


def draw_lakes(scene):
    """A natural lake under the hills and flooded gravel pits beside the river, each with a shore."""
    wobble = fractal(81, 3.6, 1500, 150)
    water = np.zeros((M, M), bool)
    for cx, cy, rx, ry, tilt, rough in ((2750, 10050, 1000, 430, -0.5, 0.13), (9080, 6280, 260, 150, 0.4, 0.06),
                                        (9560, 6560, 170, 210, 0.2, 0.06), (8740, 6660, 130, 110, 0.0, 0.06)):
        u, v = rotated(X - cx, Y - cy, tilt)
        level = np.hypot(u / rx, v / ry) + rough * wobble
        scene.paint(level < 1 + 45 / min(rx, ry), SCRUB if rx > 500 else GRAVEL, 0.8)
        scene.paint(level < 1, LAKE)
        shallow = (level < 1) & (level > 0.88 + 0.03 * fractal(82, 2.4, 500, 60))
        scene.paint(shallow, (600, 900, 520, 260), 0.6)
        water |= level < 1
    return water


def draw_towns(scene, river):
    """Streets between blocks, roofs and gardens inside; the town by the river, villages around, halls at its edge."""
    places = [(5350, 5650, 1250), (2100, 3100, 330), (4550, 1500, 300), (7300, 3150, 260), (1250, 7950, 290),
              (6250, 8950, 330), (9850, 8050, 360), (4350, 8250, 200), (11250, 5450, 300), (8750, 10650, 260),
              (900, 5050, 220), (10900, 10300, 200)]
    grown = 0.16 * fractal(91, 2.2, 900, 40)
    built = np.full((M, M), -9.0, np.float32)
    for cx, cy, radius in places:
        built = np.maximum(built, 1 - np.hypot(X - cx, (Y - cy) * 1.12) / radius)
    built = built + grown
    inside = (built > 0.0) & ~river
    warp = 25 * fractal(92, 3.0, 900, 100)
    block, ox, oy, border = cells(X + warp, Y - warp, 210.0, 93)
    u, v = rotated(ox, oy, 0.5 + 0.8 * pick(block, 95))
    plot = ((block * 64 + np.floor(u / 17 + 32).astype(np.int64)) * 64) + np.floor(v / 22 + 32).astype(np.int64)
    house = (pick(plot, 96) < 0.36 + 0.62 * np.clip(built, 0, 0.8)) & ((u / 17) % 1 < 0.78) & ((v / 22) % 1 < 0.82)
    park = inside & (pick(block, 97) < 0.09)
    scene.paint(inside, GARDEN, 0.9)
    scene.scale((1 + 0.14 * fractal(94, 0.8, 80, 10)).astype(np.float32), inside)
    roof = np.clip(pick(plot, 98) * 0.55 + 0.45 * pick(block, 99), 0, 0.999)
    scene.paint_choice(inside & house & ~park, ROOFS, roof)
    scene.paint(inside & (border < 6) & (built > 0.03), ASPHALT, 0.9)
    scene.paint(park & (border > 9), LEAFY, 0.75)

    u, v = rotated(X - 7020, Y - 6560, 0.32)
    works = (np.abs(u) < 620) & (np.abs(v) < 330) & ~river
    hall = np.floor(u / 145 + 40).astype(np.int64) * 100 + np.floor(v / 105 + 40).astype(np.int64)
    scene.paint(works, ASPHALT, 0.85)
    wide, deep = 0.5 + 0.42 * pick(hall, 101), 0.45 + 0.45 * pick(hall, 102)
    halls = works & ((u / 145) % 1 < wide) & ((v / 105) % 1 < deep) & (pick(hall, 103) < 0.86)
    scene.paint_choice(halls, HALLS, pick(hall, 104))
    scene.paint(works & ((u / 145) % 1 > 0.95), GARDEN, 0.8)
    return inside | works


def draw_roads(scene, river):
    """A motorway past the town, country roads between the places, a railway, a grass airfield with one runway."""
    for corners, half, colour, verge in (
        (((-0.2, 4.1), (2.4, 4.5), (4.0, 3.6), (7.2, 4.0), (8.2, 7.6), (10.8, 9.0), (13, 9.4)), 13, ASPHALT, 26),
        (((2.1, -0.2), (2.1, 3.1), (3.6, 4.7), (5.35, 5.65), (6.25, 8.95), (5.8, 11), (6.4, 13)), 7, ASPHALT, 12),
        (((-0.2, 8.4), (1.25, 7.95), (4.35, 8.25), (6.25, 8.95), (9.85, 8.05), (13, 7.2)), 6, ASPHALT, 10),
        (((4.3, -0.2), (4.55, 1.5), (5.0, 3.4), (5.35, 5.65)), 6, ASPHALT, 10),
        (((5.35, 5.65), (7.3, 3.15), (7.5, 1.2), (7.2, -0.2)), 6, ASPHALT, 10),
        (((-0.2, 5.2), (0.9, 5.05), (3.2, 5.6), (5.35, 5.65), (8.2, 5.9), (11.25, 5.45), (13, 5.6)), 6, ASPHALT, 10),
        (((9.85, 8.05), (8.75, 10.65), (9.2, 13)), 6, ASPHALT, 10),
        (((8.75, 10.65), (10.9, 10.3), (13, 11.1)), 6, ASPHALT, 9),
        (((2.1, 3.1), (4.55, 1.5), (7.5, 1.2)), 5, TRACK, 8),
        (((-0.2, 6.6), (3.2, 6.2), (5.7, 6.35), (8.6, 7.6), (11, 7.0), (13, 6.3)), 5, RAIL, 12),
    ):
        distance, _, _ = curve_distance(smooth_line(*corners), verge + 6)
        scene.paint((distance < verge) & ~river, SCRUB, 0.7)
        scene.paint(distance < half, colour)
        if half > 10:
            scene.paint(distance < 3, GARDEN, 0.7)
    u, v = rotated(X - 10650, Y - 11650, -0.42)
    scene.paint((np.abs(u) < 1000) & (np.abs(v) < 170), MEADOW[1], 0.9)
    scene.paint((np.abs(u) < 860) & (np.abs(v) < 24), RUNWAY)
    scene.paint((np.abs(u) < 860) & (np.abs(v - 95) < 9), ASPHALT)


def swath():
    """Where the sensor saw: left of a slanted edge with the teeth of staggered detectors."""
    row = np.arange(SIZE)
    edge = SIZE * 0.995 - 0.205 * (SIZE - row)[::-1] + 9 * ((row // 57) % 2) - 2 * (row // 14 % 3)
    return np.arange(SIZE)[None, :] < edge[:, None]


def footprints():
    """How much of each of M pixels lies in each of SIZE: [image, drawing], rows that sum to 1."""
    edges = np.linspace(0, M, SIZE + 1)
    pixels = np.arange(M)
    inside = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    return np.clip(inside, 0, None) * SIZE / M


def compose():
    """The whole scene: uint16 [band, y, x], 0 where nothing was seen."""
    scene = Scene()
    south = np.clip((Y - 7600) / 4500, 0, 1) ** 1.3
    height = 60 + south * (90 + 120 * fractal(1, 3.6, 4200, 220)) + 5 * fractal(2, 3.2, 2500, 150)
    course = meander((-500, 7330), -0.22, 30000, 1.55, 3000, 8)
    distance = curve_distance(course, 900)[0]
    open_land = np.where(distance < 900, -0.7, 0.0) - 1.6 * np.exp(-(np.hypot(X - 5350, Y - 5650) / 2100) ** 4)
    lots, dice = draw_fields(scene)
    dry = draw_pivots(scene)
    draw_woods(scene, height, lots, dice, open_land - 3.0 * dry)
    water = draw_lakes(scene)
    river = draw_river(scene, course)
    draw_towns(scene, river)
    draw_roads(scene, river)
    scene.scale(np.where(water | river, 1, shade(height)))
    scene.bands += np.float32(25) + np.array([130, 80, 45, 0], np.float32)[:, None, None]  # air between land and sensor
    sensor = footprints()
    image = sensor @ scene.bands.astype(np.float64) @ sensor.T
    step = np.asarray(STEP, np.float64)[:, None, None]
    image = np.clip(np.round(image / step) * step, step, 10_000)
    return np.where(swath(), image, 0).astype(np.uint16)


def main(path):
    """Write the scene as a COG: 256-pixel blocks, DEFLATE with predictor 2, overviews by averaging."""
    image = compose()
    profile = dict(driver="GTiff", width=SIZE, height=SIZE, count=4, dtype="uint16", crs="EPSG:32632", nodata=0,
                   transform=from_origin(*ORIGIN, PIXEL, PIXEL), photometric="minisblack", alpha="unspecified")
    with MemoryFile() as memory:
        with memory.open(**profile) as dataset:
            dataset.write(image)
            dataset.descriptions = BANDS
        with memory.open() as dataset:
            copy_raster(dataset, path, driver="COG", compress="DEFLATE", predictor="2", level="12", blocksize="256",
                        overview_resampling="AVERAGE", num_threads="1")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "sample.tif")
