/** Between the objects that Argo CD names ("Caused by Deployment:shop/api") and what Capstan adds. */
const mark = "; because ";
/** Whoever runs a Pod writes its messages. */
const longest = 400;

/** An application's health message with what keeps it from being well. */
export function withHealthCause(message: string, cause: string): string {
  const line = cause.replaceAll(/\s+/g, " ");
  return `${message}${mark}${line.length > longest ? `${line.slice(0, longest)}…` : line}`;
}

/** What keeps it from being well, alone: "CrashLoopBackOff: api-7d9f-x"; "" where the message does not tell. */
export function healthCause(message: string): string {
  const at = message.indexOf(mark);
  return at < 0 ? "" : message.slice(at + mark.length);
}

/** Reasons for which a container does not come up by waiting (kubelet: pkg/kubelet/images, kuberuntime). */
const stuckReasons =
  /^(?:CrashLoopBackOff|ImagePullBackOff|InvalidImageName|Err[A-Z]\w{0,60}|\w{1,60}Error): /;

/** Whether a cause is one that does not pass by itself, whatever the health is called. */
export function isStuck(cause: string): boolean {
  return stuckReasons.test(cause);
}
