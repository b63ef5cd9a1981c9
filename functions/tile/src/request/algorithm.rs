//! Algorithms and what they are told: `algorithm`, and `algorithm_params` in JSON.

use edgetile_raster::math::algorithm::{Algorithm, AlgorithmError};
use serde_json::{Map, Value};

use super::{Query, Refused};

/// Reads both parameters.
pub(super) fn read(query: &Query) -> Result<Option<Algorithm>, Refused> {
    let text = |name| Ok::<_, Refused>(query.one(name)?.map(str::trim).filter(|text| !text.is_empty()));
    let (name, parameters) = (text("algorithm")?, text("algorithm_params")?);
    let Some(name) = name else {
        return match parameters {
            Some(_) => Err(Refused::parameter("algorithm_params", "stands without algorithm")),
            None => Ok(None),
        };
    };
    let told = parameters.map(numbers).transpose()?.unwrap_or_default();
    let told = told.iter().map(|(name, value)| (name.as_str(), *value));
    let algorithm = Algorithm::new(name, told).map_err(|error| {
        let parameter = match error {
            AlgorithmError::Unknown => "algorithm",
            _ => "algorithm_params",
        };
        Refused::parameter(parameter, error.to_string())
    })?;
    Ok(Some(algorithm))
}

/// The members of a JSON object of numbers; null is as good as silence.
fn numbers(json: &str) -> Result<Vec<(String, f64)>, Refused> {
    let wrong = |reason: &str| Refused::parameter("algorithm_params", reason);
    let object: Map<String, Value> =
        serde_json::from_str(json).map_err(|_| wrong("is not a JSON object, such as {\"azimuth\":315}"))?;
    let mut told = Vec::new();
    for (name, value) in object.into_iter().filter(|(_, value)| !value.is_null()) {
        let value = value.as_f64();
        let value = value.ok_or_else(|| wrong("has a member that is no number"))?;
        told.push((name, value));
    }
    Ok(told)
}

/// The parameters that name an algorithm, in their one spelling.
pub(super) fn pairs(algorithm: &Algorithm) -> impl Iterator<Item = (&'static str, String)> {
    let told: Map<String, Value> = algorithm
        .given()
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect();
    let told = (!told.is_empty()).then(|| ("algorithm_params", Value::Object(told).to_string()));
    std::iter::once(("algorithm", algorithm.name().to_owned())).chain(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn algorithm(raw: &str) -> Result<Option<Algorithm>, Refused> {
        read(&Query::parse(raw).unwrap())
    }

    fn spelt(raw: &str) -> Vec<(&'static str, String)> {
        pairs(&algorithm(raw).unwrap().unwrap()).collect()
    }

    #[test]
    fn defaults_are_silence_and_numbers_have_one_spelling() {
        let plain = spelt(r#"algorithm=hillshade&algorithm_params={"azimuth":45.0,"buffer":null}"#);
        assert_eq!(plain, [("algorithm", "hillshade".to_owned())]);
        assert_eq!(plain, spelt("algorithm=hillshade&algorithm_params="));
        let told = spelt(r#"algorithm=hillshade&algorithm_params={"z_exaggeration":2,"azimuth":315}"#);
        assert_eq!(told[1].1, r#"{"azimuth":315.0,"z_exaggeration":2.0}"#);
        assert_eq!(algorithm("bidx=1").unwrap(), None);
    }

    #[test]
    fn refusals_name_the_parameter() {
        for (raw, told) in [
            (
                "algorithm=Hillshade",
                "algorithm is none of hillshade, slope, contours, ",
            ),
            ("algorithm_params={}", "algorithm_params stands without algorithm"),
            (
                "algorithm=slope&algorithm_params=3",
                "algorithm_params is not a JSON object, such as",
            ),
            (
                "algorithm=slope&algorithm_params={",
                "algorithm_params is not a JSON object, such as",
            ),
            (
                r#"algorithm=slope&algorithm_params={"buffer":"3"}"#,
                "algorithm_params has a member that is no number",
            ),
            (
                r#"algorithm=slope&algorithm_params={"azimuth":3}"#,
                "algorithm_params names azimuth, which slope does not have: it has buffer, z_exaggeration",
            ),
            (
                r#"algorithm=cast&algorithm_params={"a":3}"#,
                "algorithm_params names a, which cast does not have: it has none",
            ),
            (
                r#"algorithm=hillshade&algorithm_params={"azimuth":361}"#,
                "algorithm_params gives azimuth a value that is no whole number from 0 to 360",
            ),
            (
                r#"algorithm=hillshade&algorithm_params={"azimuth":0.5}"#,
                "algorithm_params gives azimuth a value that is no whole number from 0 to 360",
            ),
            (
                r#"algorithm=contours&algorithm_params={"minz":5,"maxz":5}"#,
                "algorithm_params has a minz that is not below maxz",
            ),
        ] {
            let message = algorithm(raw).unwrap_err().to_string();
            assert!(message.starts_with(told), "{raw}: {message}");
        }
    }
}
