import { AlreadyTold, causeOf } from "./trace-error.ts";

/** What a person is told at the end of a run that failed; nothing where it has been told (kpt main.go handleErr). */
export function describeError(error: Error): string {
  const cause = causeOf(error);
  if (cause instanceof AlreadyTold) return "";
  const isOwnWords = cause.message.startsWith("Kptfile is invalid:");
  return `${isOwnWords ? "" : "Error: "}${cause.message} \n`;
}
