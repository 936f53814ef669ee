import { parseBoolean, parseDuration } from "@capstan/formats";
import type { SettingsProblem } from "./settings.ts";

/** Reads the texts of one ConfigMap or Secret; what cannot be read is noted and falls back to its default. */
export class ValueReader {
  readonly where: string;
  readonly #texts: Readonly<Record<string, string>>;
  readonly #problems: SettingsProblem[];

  constructor(where: string, texts: Readonly<Record<string, string>>, problems: SettingsProblem[]) {
    this.where = where;
    this.#texts = texts;
    this.#problems = problems;
  }

  /** Whether something was said against any of these fields. */
  hasProblem(fields: readonly string[]): boolean {
    return this.#problems.some(({ where, field }) => where === this.where && fields.includes(field));
  }

  text(field: string): string | undefined {
    const text = this.#texts[field]?.trim();
    return text === "" ? undefined : text;
  }

  list(field: string): string[] {
    return (this.text(field) ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }

  boolean(field: string, fallback: boolean): boolean {
    return this.#read(field, parseBoolean, `true or false`) ?? fallback;
  }

  integer(field: string): number | undefined {
    return this.#read(field, (text) => (/^-?\d+$/.test(text) ? Number(text) : undefined), "an integer");
  }

  /** A Go duration; 0 means off. */
  duration(field: string): number | undefined {
    return this.#read(
      field,
      (text) => parseDuration(text, { days: true }),
      "a duration such as 90s, 3m or 24h",
    );
  }

  oneOf<T extends string>(field: string, values: readonly T[], fallback: T): T {
    const named = (text: string) => values.find((value) => value === text);
    return this.#read(field, named, `one of ${values.join(", ")}`) ?? fallback;
  }

  problem(field: string, problem: string): void {
    this.#problems.push({ where: this.where, field, problem });
  }

  #read<T>(field: string, parse: (text: string) => T | undefined, expected: string): T | undefined {
    const text = this.text(field);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) this.problem(field, `is not ${expected}`);
    return value;
  }
}
