"""Lines in a frame, as SVG: nothing but text is needed to draw what the reports show."""

import math

COLOURS = ("#c0392b", "#1b6ca8", "#27ae60", "#7f8c8d")
# Of parts that stand beside each other.
STACKED = ("#922b21", "#cb6d51", "#d8a657", "#7d8f3c", "#2e7d5b", "#1b8a9c", "#1b6ca8", "#5b5ea6", "#8e5a9b", "#7f8c8d", "#34495e")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 340, 64, 16, 34, 46


def ticks(least, most, is_log):
    """Round values between two: powers of two, or about five steps of 1, 2 or 5."""
    if is_log:
        return [2**power for power in range(math.floor(math.log2(least)), math.ceil(math.log2(most)) + 1) if least <= 2**power <= most]
    rough = (most - least) / 5 or 1
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * at for at in range(math.ceil(least / step), math.floor(most / step) + 1)]


def lines(title, across, up, series, log_x=False, log_y=False):
    """`series`: name → [(x, y)]. `across` and `up` name the axes with their units."""
    points = [point for line in series.values() for point in line]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    low_y, high_y = (min(y for _, y in points) if log_y else 0), max(y for _, y in points)
    scale = lambda value, low, high, is_log: (math.log(value / low) / math.log(high / low or 2) if is_log else (value - low) / ((high - low) or 1))
    x_at = lambda x: LEFT + scale(x, low_x, high_x, log_x) * (WIDTH - LEFT - RIGHT)
    y_at = lambda y: HEIGHT - BOTTOM - scale(max(y, low_y), low_y, high_y, log_y) * (HEIGHT - TOP - BOTTOM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/><text x="{LEFT}" y="18" font-size="14">{title}</text>',
    ]
    for y in ticks(low_y, high_y, log_y):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y_at(y):.1f}" y2="{y_at(y):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y_at(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    for x in ticks(low_x, high_x, log_x):
        parts.append(f'<text x="{x_at(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x:g}</text>')
    parts.append(f'<text x="{(WIDTH + LEFT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{across}</text>')
    parts.append(f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{up}</text>')
    for line, colour in zip(series.values(), COLOURS):
        path = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(line) < 30:
            parts += [f'<circle cx="{x_at(x):.1f}" cy="{y_at(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
    # Above the frame, where no line runs.
    names = " ".join(f'<tspan dx="12" fill="{colour}">{name}</tspan>' for name, colour in zip(series, COLOURS))
    parts.append(f'<text x="{WIDTH - RIGHT}" y="18" text-anchor="end">{names}</text>')
    return "\n".join([*parts, "</svg>", ""])


def bars(title, unit, names, series):
    """Horizontal bars: `series` is name → values in the order of `names`."""
    row, left = 16 * len(series) + 10, 150
    height = TOP + row * len(names) + BOTTOM
    most = max(max(values) for values in series.values()) or 1
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/><text x="{left}" y="18" font-size="14">{title}</text>',
    ]
    for at, name in enumerate(names):
        top = TOP + row * at
        parts.append(f'<text x="{left - 8}" y="{top + row / 2:.1f}" text-anchor="end">{name}</text>')
        for line, ((_, values), colour) in enumerate(zip(series.items(), COLOURS)):
            width = values[at] / most * (WIDTH - left - RIGHT - 50)
            parts.append(f'<rect x="{left}" y="{top + 16 * line}" width="{width:.1f}" height="13" fill="{colour}"/>')
            parts.append(f'<text x="{left + width + 4:.1f}" y="{top + 16 * line + 11}">{values[at]:.3g} {unit}</text>')
    for at, (name, colour) in enumerate(zip(series, COLOURS)):
        parts.append(f'<text x="{left + 150 * at}" y="{height - 14}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def stacks(title, unit, names, parts, values):
    """Horizontal bars made of parts: `values` is part → numbers in the order of `names`. Parts stand from left to right as a tile passes them."""
    row, left = 30, 200
    key = TOP + row * len(names) + 14
    height = key + 18 * math.ceil(len(parts) / 4) + 8
    most = max(sum(values[part][at] for part in parts) for at in range(len(names))) or 1
    width = WIDTH - left - RIGHT - 50
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/><text x="{left}" y="18" font-size="14">{title}</text>',
    ]
    for at, name in enumerate(names):
        x, y = left, TOP + row * at
        lines.append(f'<text x="{left - 8}" y="{y + 16}" text-anchor="end" font-size="11">{name}</text>')
        for part, colour in zip(parts, STACKED):
            wide = values[part][at] / most * width
            lines.append(f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="22" fill="{colour}"><title>{part}: {values[part][at]:.2f} {unit}</title></rect>')
            if wide > 6.5 * len(part):
                lines.append(f'<text x="{x + wide / 2:.1f}" y="{y + 15}" text-anchor="middle" font-size="10" fill="white">{part}</text>')
            x += wide
        lines.append(f'<text x="{x + 4:.1f}" y="{y + 16}">{sum(values[part][at] for part in parts):.1f} {unit}</text>')
    for at, (part, colour) in enumerate(zip(parts, STACKED)):
        x, y = 20 + 155 * (at % 4), key + 18 * (at // 4)
        lines.append(f'<rect x="{x}" y="{y}" width="11" height="11" fill="{colour}"/><text x="{x + 16}" y="{y + 10}" font-size="11">{part}</text>')
    return "\n".join([*lines, "</svg>", ""])
