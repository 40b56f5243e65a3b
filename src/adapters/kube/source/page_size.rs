//! How many objects to ask for per page.

/// A page should be about this much text: a few round trips less would gain nothing, and the server builds a page as a
/// whole before it sends it.
const PAGE_BYTES: u64 = 4 << 20;
/// What is asked for before anything is known about the kind.
const FIRST: u32 = 500;
/// Bounds: below, round trips cost more than they save; above, a page takes the server too long.
const LEAST: u32 = 50;
const MOST: u32 = 5_000;

/// The number of objects to ask for, learned from the pages so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageSize(u32);

impl PageSize {
    /// Before the first page.
    pub(super) fn new() -> Self {
        Self(FIRST)
    }

    /// So many objects on the first page.
    #[cfg(test)]
    pub(super) fn starting_at(objects: u32) -> Self {
        Self(objects)
    }

    /// Objects to ask for.
    pub(super) fn limit(self) -> u32 {
        self.0
    }

    /// Learns from a page of `objects` objects with `text_bytes` of text.
    pub(super) fn learn(&mut self, objects: u64, text_bytes: u64) {
        if objects == 0 || text_bytes == 0 {
            return;
        }
        let fitting = PAGE_BYTES.saturating_mul(objects) / text_bytes;
        let bounded = fitting.clamp(u64::from(LEAST), u64::from(MOST));
        self.0 = u32::try_from(bounded).unwrap_or(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_aim_at_four_mebibytes_of_text() {
        let mut size = PageSize::new();
        assert_eq!(size.limit(), 500);
        size.learn(500, 500 * 8192);
        assert_eq!(size.limit(), 512);
    }

    #[test]
    fn tiny_and_huge_objects_stay_within_the_bounds() {
        let mut size = PageSize::new();
        size.learn(500, 500 * 100);
        assert_eq!(size.limit(), 5_000);
        size.learn(50, 50 << 20);
        assert_eq!(size.limit(), 50);
    }

    #[test]
    fn an_empty_page_teaches_nothing() {
        let mut size = PageSize::new();
        size.learn(0, 0);
        assert_eq!(size.limit(), 500);
    }
}
