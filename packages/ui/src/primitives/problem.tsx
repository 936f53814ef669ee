import type { ReactNode } from "react";
import { Glyph } from "./glyph.tsx";

interface Props {
  /** What was being done, to what: "Could not sync guestbook". */
  title: string;
  failure: unknown;
  next?: ReactNode;
  onDismiss?: () => void;
}

function requestOf(failure: unknown): string | undefined {
  if (typeof failure !== "object" || failure === null || !("request" in failure)) return undefined;
  return typeof failure.request === "string" ? failure.request : undefined;
}

/** Stays until read, can be selected, and names the object and the request. */
export function Problem({ title, failure, next, onDismiss }: Props) {
  const request = requestOf(failure);
  return (
    <div className="problem" role="alert">
      <Glyph name="cross" tone="bad" />
      <div className="problem-text">
        <strong>{title}</strong>
        <p>{failure instanceof Error ? failure.message : String(failure)}</p>
        {request && <code>{request}</code>}
        {next && <div className="problem-next">{next}</div>}
      </div>
      {onDismiss && (
        <button type="button" className="button quiet" onClick={onDismiss}>
          Dismiss
        </button>
      )}
    </div>
  );
}
