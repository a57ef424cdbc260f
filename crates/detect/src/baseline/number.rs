//! Sizes and how they vary: Welford's running mean and variance over ln(1 + x).

/// Fewer than this say nothing.
const LEAST: u64 = 20;
/// So many standard deviations above the mean are far.
const FAR: f64 = 4.0;
/// Habits vary at least this much, however regular they were.
const LEAST_DEVIATION: f64 = 0.25;

/// Sizes seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sizes {
    /// How many.
    pub count: u64,
    /// Mean of ln(1 + x).
    pub mean: f64,
    /// Sum of squared differences from the mean.
    pub squares: f64,
    /// The largest.
    pub largest: u64,
}

impl Sizes {
    /// Takes a size in.
    pub fn add(&mut self, size: u64) {
        let value = libm::log1p(size as f64);
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
        self.largest = self.largest.max(size);
    }

    /// Whether a size is far beyond all before: by deviation, and at least twice the largest.
    pub fn is_outlier(&self, size: u64) -> bool {
        if self.count < LEAST || size <= self.largest.saturating_mul(2) {
            return false;
        }
        let deviation = libm::sqrt(self.squares / self.count as f64).max(LEAST_DEVIATION);
        (libm::log1p(size as f64) - self.mean) / deviation > FAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_beyond_all_before_is_an_outlier() {
        let mut sizes = Sizes::default();
        (0..19).for_each(|size| sizes.add(400 + size));
        assert!(!sizes.is_outlier(1_000_000));
        sizes.add(500);
        assert!(sizes.is_outlier(1_000_000));
        assert!(!sizes.is_outlier(900));
    }
}
