//! Files in and out: pictures of cloth.

pub mod picture;
