"""The version of the library, where everybody can read it without importing the rest."""

VERSION = "0.3.0"
