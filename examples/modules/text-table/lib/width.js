const segmenter = new Intl.Segmenter();

/** How many characters a reader sees. */
export const width = (cell) => [...segmenter.segment(String(cell))].length;
