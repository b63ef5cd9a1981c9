//! What the integration tests share: a server to ask, a store to ask it of, a browser to look with.
