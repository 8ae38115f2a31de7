//! Contact of surfaces.

mod continuous;
mod rigid;
