//! What was broken once, each by what it showed.

mod another_step_length;
mod changes;
mod crumpled;
mod guarantee;
mod impacts;
mod momentum_of_free_bodies;
mod steps;
mod xpbd_elements;
