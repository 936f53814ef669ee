import { useConnection } from "../../queries/connection.ts";

/** Says at once when what is on the screen may be old. */
export function ConnectionMark() {
  const { state, lastLiveAt, problem } = useConnection();
  if (state === "idle" || state === "refused") return null;
  if (state === "live") {
    return (
      <span className="connection" title="Changes appear as they happen" role="status">
        <span className="pulse live" aria-hidden="true" />
        <span className="connection-word">Live</span>
      </span>
    );
  }
  if (state === "connecting") {
    return (
      <span className="connection" role="status">
        <span className="pulse" aria-hidden="true" />
        <span className="connection-word">Connecting</span>
      </span>
    );
  }
  const since = lastLiveAt ? new Date(lastLiveAt).toLocaleTimeString() : undefined;
  return (
    <span className="connection lost" title={problem} role="status">
      <span className="pulse lost" aria-hidden="true" />
      <span>{since ? `Connection lost · data from ${since}` : "No connection"}</span>
    </span>
  );
}

/** Marks everything inside as old while the connection is lost. */
export function useIsOld(): boolean {
  return useConnection().state === "lost";
}
