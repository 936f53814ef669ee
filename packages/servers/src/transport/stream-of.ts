/** The answers of a call that the table says is a stream. */
export function streamOf(answer: unknown): AsyncIterable<unknown> {
  if (typeof answer === "object" && answer !== null && isAsyncIterable(answer)) return answer;
  throw new TypeError("a stream's handler gave no stream");
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value;
}
