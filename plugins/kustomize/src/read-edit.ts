import { parseArgs } from "node:util";

/** What the person typed is wrong: printed without a stack. */
export class EditError extends Error {
  override readonly name = "EditError";
}

export interface Edit {
  readonly verb: "add" | "remove" | "set";
  readonly field: string;
  readonly args: readonly string[];
  readonly force: boolean;
  readonly withoutSelector: boolean;
  readonly includeTemplates: boolean;
  readonly ignoreAbsent: boolean;
}

const fields = {
  set: ["annotation", "buildmetadata", "image", "label", "nameprefix", "namespace", "namesuffix", "replicas"],
  add: ["annotation", "buildmetadata", "component", "generator", "label", "resource", "transformer"],
  remove: ["annotation", "buildmetadata", "label", "resource", "transformer"],
} as const;

const flags = {
  force: { type: "boolean", short: "f" },
  "without-selector": { type: "boolean" },
  "include-templates": { type: "boolean" },
  "ignore-non-existence": { type: "boolean", short: "i" },
  "no-verify": { type: "boolean" },
} as const;

/** The words after `kustomize edit`. Throws EditError. */
export function readEdit(argv: readonly string[]): Edit {
  const { values, positionals } = parse(argv);
  const [verb = "", field = "", ...args] = positionals;
  if (verb !== "set" && verb !== "add" && verb !== "remove")
    throw new EditError(`unknown command "${verb}" for "kustomize edit": it is one of set, add, remove`);
  const known: readonly string[] = fields[verb];
  if (!known.includes(field))
    throw new EditError(
      `"kustomize edit ${verb} ${field}" does not come with Capstan (${known.join(", ")} do): install kustomize`,
    );
  if (args.length === 0) throw new EditError(`must specify ${article(field)}`);
  if (values["include-templates"] && !values["without-selector"])
    throw new EditError("--include-templates flag can only be specified with --without-selector");
  return {
    verb,
    field,
    args,
    force: values.force ?? false,
    withoutSelector: values["without-selector"] ?? false,
    includeTemplates: values["include-templates"] ?? false,
    ignoreAbsent: values["ignore-non-existence"] ?? false,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: true, strict: true });
  } catch (error) {
    throw new EditError(error instanceof Error ? error.message : String(error));
  }
}

function article(field: string): string {
  return `${/^[aeiou]/.test(field) ? "an" : "a"} ${field}`;
}
