//! Block bytes → samples: codec, predictor, byte order. Knows no georeference and no request.
