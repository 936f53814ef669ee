export interface JqRun {
  expression: string;
  /** JSON texts, of one object each. */
  objects: readonly string[];
}

export interface JqBounds {
  /** Of WebAssembly's memory, the values in it and jq itself. */
  memoryBytes: number;
  /** Of one object. */
  mostPaths: number;
  /** Of all that a run gives. */
  answerBytes: number;
}
