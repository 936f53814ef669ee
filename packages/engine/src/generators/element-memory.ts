import { canonicalJson, stringifyJson } from "@capstan/formats";
import type { Application, ApplicationSet } from "@capstan/model";
import type { Parameters } from "./parameters.ts";
import type { TemplateCost } from "./templates.ts";

/** What one element became. */
export interface MadeElement {
  readonly application: Application;
  /** Characters as JSON. */
  readonly size: number;
  readonly cost: TemplateCost;
}

/**
 * What the elements of one set became when it was looked at last, by their parameters: what is the same needs no work.
 * Holds no more than the last look made. Lost without harm.
 */
export class ElementMemory {
  #about = "";
  #made = new Map<string, MadeElement>();
  #next = new Map<string, MadeElement>();
  #settledAbout = "";
  #settled = new WeakMap<Application, Application>();

  /** Before a look: what was made of another specification counts no more. */
  begin({ metadata: { namespace, name }, spec }: ApplicationSet): void {
    const about = isRepeatable(spec) ? canonicalJson([namespace, name, spec]) : "";
    if (about !== this.#about || about === "") this.#made = new Map();
    this.#about = about;
    this.#next = new Map();
  }

  /** `template`: which of the set's templates it is filled into. */
  make(
    template: string,
    parameters: Parameters,
    make: () => MadeElement,
  ): { made: MadeElement; isNew: boolean } {
    const key = `${template} ${stringifyJson(parameters)}`;
    const known = this.#made.get(key);
    const made = known ?? make();
    if (this.#about !== "") this.#next.set(key, made);
    return { made, isNew: known === undefined };
  }

  /** After a look that went well: what it did not need is forgotten. */
  end(): void {
    this.#made = this.#next;
    this.#next = new Map();
  }

  /** Applications in the version in which they are what was made; `about` is all else that this hangs on. */
  settled(about: unknown): WeakMap<Application, Application> {
    const text = canonicalJson(about);
    if (text !== this.#settledAbout) this.#settled = new WeakMap();
    this.#settledAbout = text;
    return this.#settled;
  }
}

/** Functions by which the same parameters give another text each time, and words that only look like them. */
const varying = /\bnow\b|\bago\b|date|Date|rand|uuid|shuffle|gen[A-Z]|bcrypt|htpasswd|encrypt|derive/;

function isRepeatable(spec: ApplicationSet["spec"]): boolean {
  if (spec.goTemplate !== true) return true;
  const text = stringifyJson(spec);
  const first = text.indexOf("{{");
  return first < 0 || !varying.test(text.slice(first));
}
