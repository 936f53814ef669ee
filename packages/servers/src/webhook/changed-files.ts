/** Comparisons with patterns for one push; beyond it a pattern is taken to match, which costs a look. */
const maxComparisons = 200_000;

/** The files of one push, asked about folders and patterns of many applications. */
export class ChangedFiles {
  readonly #sorted: readonly string[];
  #comparisons = 0;

  constructor(files: readonly string[]) {
    this.#sorted = [...new Set(files)].sort();
  }

  /** Whether one of them is this file or lies below this folder, which may be a pattern. */
  liesIn(folder: string): boolean {
    if (folder === "") return this.#sorted.length > 0;
    if (this.#startsAt(folder) === folder || this.#startsAt(`${folder}/`)?.startsWith(`${folder}/`))
      return true;
    return /[*?]/.test(folder) && this.#matches(folder.split("/"));
  }

  /** The first in order that is not before the text. */
  #startsAt(text: string): string | undefined {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#sorted[middle] ?? "") < text) from = middle + 1;
      else to = middle;
    }
    return this.#sorted[from];
  }

  #matches(pattern: readonly string[]): boolean {
    for (const file of this.#sorted) {
      this.#comparisons += pattern.length;
      if (this.#comparisons > maxComparisons) return true;
      const parts = file.split("/");
      if (pattern.length <= parts.length && pattern.every((one, at) => matchesPart(one, parts[at] ?? "")))
        return true;
    }
    return false;
  }
}

/**
 * `*` and `?` within one name, as Go's filepath.Match. Goes back to the last star only, so that its time is the
 * product of both lengths at most.
 */
function matchesPart(pattern: string, name: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    const one = pattern[at];
    if (one === "*") {
      star = at;
      at += 1;
      resume = index;
    } else if (one !== undefined && (one === "?" || one === name[index])) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
