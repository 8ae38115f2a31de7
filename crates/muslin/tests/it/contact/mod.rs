//! Contact of surfaces.

mod continuous;
