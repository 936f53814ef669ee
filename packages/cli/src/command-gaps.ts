import { groups } from "./commands.ts";

/** Commands of argocd that are not here. */
export interface CommandGap {
  /** `admin dashboard`: also all commands that begin so. */
  readonly names: readonly string[];
  /** Why, or what to do in their place. */
  readonly reason: string;
}

export const commandGaps: readonly CommandGap[] = [
  ...groups.flatMap(({ name, program, instead = {} }) =>
    program === undefined
      ? [...Map.groupBy(Object.keys(instead), (word) => instead[word] ?? "")].map(([reason, words]) => ({
          names: words.map((word) => `${name} ${word}`),
          reason,
        }))
      : [],
  ),
];
