import { deadline } from "@capstan/flow";
import { boolean, integer, object, optional, type Static, string } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { defineService } from "../sending/define-service.ts";
import { openSocket } from "../sending/open-socket.ts";
import type { Tools } from "../sending/tools.ts";

const schema = object({
  host: string(),
  port: integer({ minimum: 1 }),
  from: string(),
  username: optional(string()),
  password: optional(string()),
  html: optional(boolean()),
  insecure_skip_verify: optional(boolean()),
});
type Config = Static<typeof schema>;

/** Here a connection is of TLS from its first byte. */
const tlsPort = 465;
/** For all of it; a server that says nothing holds up nobody for longer. */
const timeoutMs = 60_000;

/** SMTP (pkg/services/email.go). The recipient is one address, or several with commas between them. */
export const email = defineService({
  type: "email",
  config: schema,
  secretsOf: ({ password }) => [password],
  check: ({ from, port }) => [
    ...(from === "" ? ["from is empty"] : []),
    ...(port > 65_535 ? ["port is none: the last is 65535"] : []),
  ],
  create: (config, tools) => async (notification, recipient, signal) => {
    const late = () => new Error(`${config.host} did not take the message within ${timeoutMs / 1000} s`);
    using limited = deadline({ clock: tools.clock, signal, ms: timeoutMs, late });
    try {
      await deliver(mailOf(notification, recipient, config), config, { tools, signal: limited.signal });
    } catch (error) {
      limited.signal.throwIfAborted();
      throw error;
    }
  },
});

function mailOf(
  { message = "", email: part }: Notification,
  recipient: string,
  { from, html = false }: Config,
) {
  const body = part?.body || message;
  const to = recipient.split(",").map((address) => address.trim());
  if (to.includes("")) throw new Error("the recipient has no address, or an empty one");
  return { from, to, subject: part?.subject ?? "", ...(html ? { html: body } : { text: body }) };
}

async function deliver(
  mail: ReturnType<typeof mailOf>,
  config: Config,
  { tools, signal }: { tools: Tools; signal: AbortSignal },
): Promise<void> {
  const { host, port, username, password, insecure_skip_verify: insecure = false } = config;
  // Loaded by the first message: few send any.
  const { createTransport } = await import("nodemailer");
  const connection = await openSocket({ host, port, guarded: tools.guarded, signal });
  try {
    const isOwn = /^(localhost|127\.0\.0\.1|::1)$/.test(host);
    const ca = insecure ? undefined : tools.authoritiesOf(host);
    await createTransport({
      connection,
      host,
      port,
      secure: port === tlsPort,
      // Go's client gives a password to nobody who could be listened to (net/smtp PlainAuth).
      requireTLS: Boolean(username && password) && !isOwn,
      ...(username && password ? { auth: { user: username, pass: password } } : {}),
      tls: { rejectUnauthorized: !insecure, ...(ca === undefined ? {} : { ca }) },
      disableFileAccess: true,
      disableUrlAccess: true,
    }).sendMail(mail);
  } finally {
    connection.destroy();
  }
}
