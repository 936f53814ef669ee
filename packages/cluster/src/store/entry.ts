import { parseJson } from "@capstan/formats";
import { isKubeObject, type KubeObject } from "../types.ts";

export interface EntryFacts {
  row: number;
  type: string;
  namespace: string;
  name: string;
  uid: string;
  revision: number;
  owners: readonly string[];
  text: string;
}

/**
 * One version of one object: its JSON text, serialised once, and its parsed form, made when asked for. The parsed
 * form takes several times the memory of the text: the garbage collector may take it when nobody uses it.
 */
export class Entry implements EntryFacts {
  readonly row: number;
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly owners: readonly string[];
  readonly text: string;
  #object: WeakRef<KubeObject> | undefined;
  #isPast = false;

  constructor(facts: EntryFacts, object?: KubeObject) {
    this.row = facts.row;
    this.type = facts.type;
    this.namespace = facts.namespace;
    this.name = facts.name;
    this.uid = facts.uid;
    this.revision = facts.revision;
    this.owners = facts.owners;
    this.text = facts.text;
    if (object !== undefined) this.#object = new WeakRef(object);
  }

  get object(): KubeObject {
    const known = this.#object?.deref();
    if (known !== undefined) return known;
    const object = readStored(this.text);
    if (!this.#isPast) this.#object = new WeakRef(object);
    return object;
  }

  /** A superseded version stays in the event log as text only. */
  becomePast(): void {
    this.#isPast = true;
    this.#object = undefined;
  }
}

function readStored(text: string): KubeObject {
  const value = parseJson(text);
  if (!isKubeObject(value)) throw new Error(`stored text is not a Kubernetes object: ${text.slice(0, 80)}`);
  return value;
}
