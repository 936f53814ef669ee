interface Branch {
  [key: string]: Branch | string;
}

/** `age__list_0__map_enc` and the like as the tree that they were (stores/flatten.go). */
export function unflatten(entries: Iterable<readonly [string, string]>): unknown {
  const root: Branch = {};
  for (const [name, text] of entries) place(root, name.split(/__(?:map|list)_/), text);
  return listsIn(root);
}

function place(root: Branch, keys: readonly string[], text: string): void {
  let branch = root;
  for (const key of keys.slice(0, -1)) {
    const next = branch[key];
    const deeper: Branch = typeof next === "object" ? next : {};
    branch[key] = deeper;
    branch = deeper;
  }
  branch[keys.at(-1) ?? ""] = text;
}

/** A branch whose keys are all numbers is a list. */
function listsIn(branch: Branch | string): unknown {
  if (typeof branch === "string") return branch;
  const entries = Object.entries(branch);
  if (entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key)))
    return entries
      .toSorted(([one], [other]) => Number(one) - Number(other))
      .map(([, value]) => listsIn(value));
  return Object.fromEntries(entries.map(([key, value]) => [key, listsIn(value)]));
}
