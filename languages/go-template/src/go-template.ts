import { executeTemplate } from "./execute/execute.ts";
import type { GoFunctions } from "./execute/functions.ts";
import type { Limits, MissingKey, Run } from "./execute/run.ts";
import { builtins } from "./functions/builtins.ts";
import { type Definitions, parseTemplate } from "./syntax/parse.ts";
import { TemplateError } from "./template-error.ts";
import { shownText } from "./values/text-bytes.ts";
import { toValue } from "./values/value.ts";

export interface TemplateOptions {
  /** Beside Go's own; they win over these. Default none. */
  readonly functions?: GoFunctions;
  /** Of the template, in messages; default "". */
  readonly name?: string;
}

export interface ExecuteOptions extends Partial<Limits> {
  /** Default "default". */
  readonly missingKey?: MissingKey;
  /** Milliseconds since 1970; default the machine's clock. */
  readonly nowMs?: () => number;
  /** Told what the run has taken, also of one that failed: for a budget of many runs. */
  readonly onEnd?: (taken: Pick<Limits, "steps" | "size">) => void;
}

const defaults: Limits = { steps: 1_000_000, size: 2 ** 22, depth: 200 };
/** Longer ones are refused. */
const mostCharacters = 2 ** 20;

/** A template of Go's text/template that was read. */
export class GoTemplate {
  readonly #text: string;
  readonly #name: string;
  readonly #functions: GoFunctions;
  readonly #definitions: Definitions;

  /** Throws TemplateError for what is no template, or longer than 1,048,576 characters. */
  constructor(text: string, { functions = {}, name = "" }: TemplateOptions = {}) {
    if (text.length > mostCharacters)
      throw new TemplateError(`template: ${name}: it has more than ${mostCharacters} characters`);
    this.#text = text.toWellFormed();
    this.#name = name;
    this.#functions = { ...builtins, ...functions };
    this.#definitions = parseTemplate(name, this.#text, (one) => Object.hasOwn(this.#functions, one));
  }

  /** What it prints for the data, which is JSON. Throws TemplateError where it fails or takes more than the limits. */
  execute(
    data: unknown,
    { missingKey = "default", nowMs = Date.now, onEnd, ...limits }: ExecuteOptions = {},
  ): string {
    const out: string[] = [];
    const most: Limits = { ...defaults, ...limits };
    const run: Run = {
      text: this.#text,
      source: this.#name,
      definitions: this.#definitions,
      functions: this.#functions,
      missingKey,
      limits: most,
      out,
      frame: { name: this.#name, variables: [] },
      steps: 0,
      spent: 0,
      counted: new WeakSet(),
      depth: 0,
      nowMs,
      spend: (more) => {
        run.spent += Math.max(more, 0);
        if (!(run.spent <= most.size))
          throw new TemplateError(`template: ${this.#name}: it makes more than ${most.size} characters`);
      },
    };
    try {
      executeTemplate(run, this.#name, toValue(data));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // The stack has no room left.
      throw new TemplateError(`template: ${this.#name}: its values are nested too deeply`, { cause: error });
    } finally {
      onEnd?.({ steps: run.steps, size: run.spent });
    }
    return shownText(out.join(""));
  }
}
