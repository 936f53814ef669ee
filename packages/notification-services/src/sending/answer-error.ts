import type { OutboundAnswer } from "@capstan/outbound";

/** A service answered, and did not take what it was sent. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  readonly status: number;
  /** What it said, whole. */
  readonly said: string;
  readonly mayRetry: boolean;

  /** `said`: in place of the answer's body. */
  constructor(
    { status, body }: Pick<OutboundAnswer, "status" | "body">,
    { said = body.toString(), mayRetry = true } = {},
  ) {
    super(`HTTP status ${status}`);
    this.status = status;
    this.said = said.trim();
    this.mayRetry = mayRetry;
  }
}

/** Throws where the status is none of success. */
export function expectSuccess(answer: OutboundAnswer): OutboundAnswer {
  if (answer.status < 200 || answer.status > 299) throw new AnswerError(answer);
  return answer;
}
