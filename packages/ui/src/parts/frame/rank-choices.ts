export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly health?: string | undefined;
  readonly keys?: readonly string[];
  readonly act: () => void;
}

/** 0 for no match; the closer to the start of a word, the better. */
function score(text: string, label: string): number {
  const at = label.indexOf(text);
  if (at === 0) return text.length === label.length ? 5 : 4;
  if (at > 0) return /[^a-z0-9]/.test(label[at - 1] ?? "") ? 3 : 2;
  let from = 0;
  for (const letter of text) {
    from = label.indexOf(letter, from) + 1;
    if (from === 0) return 0;
  }
  return 1;
}

/** Without a text: what can be done here, then names. With one: the best matches of both. */
export function rankChoices(text: string, commands: readonly Choice[], names: readonly Choice[]): Choice[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [...commands.slice(0, 12), ...names];
  return [...names, ...commands]
    .map((choice) => ({ choice, points: score(wanted, choice.label.toLowerCase()) }))
    .filter(({ points }) => points > 0)
    .sort((left, right) => right.points - left.points || left.choice.label.length - right.choice.label.length)
    .map(({ choice }) => choice);
}
