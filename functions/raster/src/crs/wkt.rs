//! Well-known text of every dialect (OGC 01-009, ISO 19162, Esri's) → PROJ parameters and a base of the registry.

use super::method::{Arguments, Method, fold};
use super::units::{self, DEGREE};
use super::{CrsError, Described, registry};

/// `KEYWORD[...]`: its texts, numbers and bare words in order, and the nodes inside it.
struct Node<'a> {
    keyword: String,
    values: Vec<&'a str>,
    inside: Vec<Node<'a>>,
}

/// No system nests deeper than about ten; a limit keeps hostile text off the stack.
const MAX_DEPTH: usize = 24;
/// The longest texts that occur have some ten kilobytes.
const MAX_LENGTH: usize = 65_536;

/// Whether a text looks like WKT of a system.
pub(super) fn is_wkt(text: &str) -> bool {
    const KEYWORDS: [&str; 17] = [
        "PROJCS",
        "GEOGCS",
        "COMPD_CS",
        "GEOCCS",
        "LOCAL_CS",
        "PROJCRS",
        "GEOGCRS",
        "GEODCRS",
        "BOUNDCRS",
        "COMPOUNDCRS",
        "ENGCRS",
        "PROJECTEDCRS",
        "GEOGRAPHICCRS",
        "GEODETICCRS",
        "ENGINEERINGCRS",
        "VERT_CS",
        "BASEGEOGCRS",
    ];
    let keyword = text.trim_start().split(['[', '(']).next().unwrap_or_default();
    KEYWORDS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(keyword.trim_end()))
}

/// Reads a system.
pub(super) fn read(text: &str) -> Result<Described, CrsError> {
    if text.len() > MAX_LENGTH {
        return Err(broken("it is longer than 64 kB"));
    }
    let mut rest = text;
    let root = Node::parse(&mut rest, 0)?;
    root.describe()
}

fn broken(what: &str) -> CrsError {
    CrsError::Malformed(format!("WKT: {what}"))
}

impl<'a> Node<'a> {
    fn parse(rest: &mut &'a str, depth: usize) -> Result<Self, CrsError> {
        if depth > MAX_DEPTH {
            return Err(broken("it nests too deep"));
        }
        let open = rest
            .find(['[', '('])
            .ok_or_else(|| broken("a bracket is missing"))?;
        let keyword = rest[..open].trim().to_ascii_uppercase();
        *rest = &rest[open + 1..];
        let mut node = Self {
            keyword,
            values: Vec::new(),
            inside: Vec::new(),
        };
        loop {
            *rest = rest.trim_start();
            if let Some(quoted) = rest.strip_prefix('"') {
                let end = quoted.find('"').ok_or_else(|| broken("a quote is missing"))?;
                node.values.push(&quoted[..end]);
                *rest = &quoted[end + 1..];
            } else {
                let end = rest
                    .find([',', ']', ')', '[', '('])
                    .ok_or_else(|| broken("a bracket is missing"))?;
                if rest[end..].starts_with(['[', '(']) {
                    node.inside.push(Self::parse(rest, depth + 1)?);
                } else {
                    node.values.push(rest[..end].trim());
                    *rest = &rest[end..];
                }
            }
            *rest = rest.trim_start();
            let mut letters = rest.chars();
            match letters.next() {
                Some(',') => *rest = letters.as_str(),
                Some(']' | ')') => {
                    *rest = letters.as_str();
                    return Ok(node);
                }
                _ => return Err(broken("a comma or a bracket is missing")),
            }
        }
    }

    fn is(&self, keywords: &[&str]) -> bool {
        keywords.contains(&self.keyword.as_str())
    }

    fn find(&self, keywords: &[&str]) -> Option<&Self> {
        self.inside.iter().find(|node| node.is(keywords))
    }

    fn name(&self) -> &'a str {
        self.values.first().copied().unwrap_or_default()
    }

    fn number(&self, at: usize) -> Option<f64> {
        self.values
            .get(at)?
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
    }

    /// The code in the EPSG registry.
    fn epsg(&self) -> Option<u32> {
        let id = self.find(&["AUTHORITY", "ID"])?;
        id.name()
            .eq_ignore_ascii_case("EPSG")
            .then(|| id.values.get(1)?.parse().ok())?
    }

    /// The size of the unit that stands directly in the node.
    fn unit(&self) -> Option<f64> {
        self.find(&["UNIT", "LENGTHUNIT", "ANGLEUNIT"])?
            .number(1)
            .filter(|size| *size > 0.0)
    }

    fn describe(&self) -> Result<Described, CrsError> {
        if self.is(&["COMPD_CS", "COMPOUNDCRS", "BOUNDCRS", "SOURCECRS"]) {
            // The horizontal part comes first.
            return self
                .inside
                .first()
                .ok_or_else(|| broken("a compound system is empty"))?
                .describe();
        }
        if let Some(code) = self.epsg().filter(|code| registry::find(*code).is_ok()) {
            return Ok(Described::registered(code));
        }
        match self.keyword.as_str() {
            "PROJCS" | "PROJCRS" | "PROJECTEDCRS" => self.describe_projected(),
            "GEOGCS" | "GEOGCRS" | "GEOGRAPHICCRS" | "GEODCRS" | "GEODETICCRS" => {
                if self
                    .find(&["CS"])
                    .is_some_and(|system| system.name().eq_ignore_ascii_case("cartesian"))
                {
                    return Err(CrsError::Geocentric(self.name().to_owned()));
                }
                self.describe_geographic(true)
            }
            "GEOCCS" => Err(CrsError::Geocentric(self.name().to_owned())),
            "LOCAL_CS" | "ENGCRS" | "ENGINEERINGCRS" => Err(CrsError::Local(self.name().to_owned())),
            other => Err(broken(&format!("{other} is no horizontal system"))),
        }
    }

    /// Datum, ellipsoid, meridian and, where the angles are coordinates, their unit.
    fn describe_geographic(&self, with_angle: bool) -> Result<Described, CrsError> {
        let datum = self
            .find(&["DATUM", "GEODETICDATUM", "TRF", "ENSEMBLE"])
            .ok_or_else(|| broken("no datum"))?;
        let figure = datum
            .find(&["SPHEROID", "ELLIPSOID"])
            .ok_or_else(|| broken("no ellipsoid"))?;
        let (Some(a), Some(rf)) = (figure.number(1), figure.number(2)) else {
            return Err(broken("the ellipsoid has no size"));
        };
        let angle = self.angle();
        let a = a * figure.unit().unwrap_or(1.0);
        let mut parameters = vec![if rf == 0.0 {
            format!("R={a}")
        } else {
            format!("a={a} rf={rf}")
        }];
        let meridian = self.find(&["PRIMEM", "PRIMEMERIDIAN"]);
        if let Some(longitude) = meridian
            .and_then(|node| node.number(1))
            .filter(|longitude| *longitude != 0.0)
        {
            let unit = units::angle_of(meridian.and_then(Node::unit).unwrap_or(angle));
            parameters.push(format!("pm={}", longitude * (unit / DEGREE)));
        }
        let known = self.epsg().filter(|code| registry::find(*code).is_ok());
        let base = known.or_else(|| registry::base_of_datum(datum.epsg(), datum.name()));
        if let Some(shift) = datum.find(&["TOWGS84"]).filter(|_| base.is_none()) {
            parameters.push(format!("towgs84={}", shift.values.join(",")));
        }
        if with_angle {
            parameters.push(format!("angle={angle}"));
        }
        Ok(Described {
            name: self.name().to_owned(),
            base,
            parameters: parameters.join(" "),
            epsg: None,
        })
    }

    /// Radians in the unit of angles.
    fn angle(&self) -> f64 {
        let in_axis = || self.find(&["AXIS"]).and_then(Node::unit);
        units::angle_of(self.unit().or_else(in_axis).unwrap_or(DEGREE))
    }

    fn describe_projected(&self) -> Result<Described, CrsError> {
        let ground = self
            .find(&["GEOGCS", "BASEGEOGCRS", "BASEGEODCRS", "GEOGCRS", "GEODCRS"])
            .ok_or_else(|| broken("no geographic system"))?;
        if let Some(spelt) = self.find(&["EXTENSION"]).filter(|node| node.name() == "PROJ4") {
            // GDAL's way out where WKT has no word for the projection.
            let parameters = spelt.values.get(1).copied().unwrap_or_default().to_owned();
            return Ok(Described {
                name: self.name().to_owned(),
                base: None,
                parameters,
                epsg: None,
            });
        }
        let conversion = self.find(&["CONVERSION"]).unwrap_or(self);
        let method = conversion
            .find(&["PROJECTION", "METHOD"])
            .ok_or_else(|| broken("no projection"))?;
        let length = self
            .unit()
            .or_else(|| self.find(&["AXIS"]).and_then(Node::unit))
            .unwrap_or(1.0);
        let arguments = conversion.arguments(ground.angle(), length);
        let unsupported = || CrsError::UnsupportedMethod(method.name().replace('_', " "));
        let found = Method::from_wkt(method.name(), arguments.lat_2.is_some()).ok_or_else(unsupported)?;
        let described = ground.describe_geographic(false)?;
        let mut parameters = vec![found.spell(&arguments), described.parameters];
        if length != 1.0 {
            parameters.push(format!("to_meter={length}"));
        }
        if let Some(axis) = self.axes().filter(|_| !parameters[0].contains("axis=")) {
            parameters.push(format!("axis={axis}u"));
        }
        Ok(Described {
            name: self.name().to_owned(),
            base: described.base,
            parameters: parameters.join(" "),
            epsg: None,
        })
    }

    /// The first two axes where they do not lead to the east and to the north.
    fn axes(&self) -> Option<&'static str> {
        let direction = |node: &Node| node.values.get(1).map(|word| word.to_ascii_lowercase());
        let mut directions = self
            .inside
            .iter()
            .filter(|node| node.is(&["AXIS"]))
            .filter_map(direction);
        match (directions.next()?.as_str(), directions.next()?.as_str()) {
            ("west", "south") => Some("ws"),
            ("south", "west") => Some("sw"),
            ("west", "north") => Some("wn"),
            ("north", "west") => Some("nw"),
            ("east", "south") => Some("es"),
            ("south", "east") => Some("se"),
            _ => None,
        }
    }

    fn arguments(&self, angle: f64, length: f64) -> Arguments {
        let mut found = Arguments::default();
        for node in self.inside.iter().filter(|node| node.is(&["PARAMETER"])) {
            let Some(value) = node.number(1) else { continue };
            let degrees = value * (units::angle_of(node.unit().unwrap_or(angle)) / DEGREE);
            let metres = value * node.unit().unwrap_or(length);
            let name = fold(node.name());
            match name.as_str() {
                "standardparallel2" | "latitudeof2ndstandardparallel" => found.lat_2 = Some(degrees),
                "standardparallel1"
                | "standardparallel"
                | "latitudeof1ststandardparallel"
                | "latitudeofstandardparallel"
                | "pseudostandardparallel1"
                | "latitudeofpseudostandardparallel" => found.lat_1 = Some(degrees),
                "azimuth" | "azimuthofinitialline" | "azimuthatprojectioncentre" | "colatitudeofconeaxis" => {
                    found.azimuth = Some(degrees);
                }
                "rectifiedgridangle" | "anglefromrectifiedtoskewgrid" | "xyplanerotation" => {
                    found.rectified = Some(degrees);
                }
                "falseeasting" | "eastingatfalseorigin" | "eastingatprojectioncentre" => {
                    found.east = Some(metres);
                }
                "falsenorthing" | "northingatfalseorigin" | "northingatprojectioncentre" => {
                    found.north = Some(metres);
                }
                "satelliteheight" | "height" => found.height = Some(metres),
                "centralmeridian" => found.lon_0 = Some(degrees),
                _ if name.starts_with("scalefactor") => {
                    found.scale = Some(value * node.unit().unwrap_or(1.0));
                }
                _ if name.starts_with("latitudeof") => found.lat_0 = Some(degrees),
                _ if name.starts_with("longitudeof") => found.lon_0 = Some(degrees),
                _ => {}
            }
        }
        found
    }
}
