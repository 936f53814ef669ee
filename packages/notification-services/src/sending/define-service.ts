import { BoundedMap } from "@capstan/flow";
import type { Schema } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { EntryError, type NotificationService, SendError, type ServiceRequest } from "../service.ts";
import { readFields } from "../template/read-fields.ts";
import { AnswerError } from "./answer-error.ts";
import { mask } from "./mask.ts";
import { type Tools, toolsOf } from "./tools.ts";
import { warnOfTransport } from "./transport-keys.ts";

/** Rejects with any error; what it says of the service, its recipient and the answer is put around it. */
export type Send = (notification: Notification, recipient: string, signal: AbortSignal) => Promise<void>;

export interface ServiceType {
  readonly type: string;
  readonly config: Schema<unknown>;
  open(request: ServiceRequest): NotificationService;
}

interface ServiceDefinition<Config> {
  readonly type: string;
  readonly config: Schema<Config>;
  /** What no message may show. */
  secretsOf(config: Config): readonly (string | undefined)[];
  /** What else is wrong, a line each, with the key. */
  check?(config: Config, tools: Tools): readonly string[];
  /** What has no effect, a line each, with the key. */
  warn?(config: Config): readonly string[];
  create(config: Config, tools: Tools): Send;
}

export function defineService<Config>(definition: ServiceDefinition<Config>): ServiceType {
  const { type, config } = definition;
  return { type, config, open: (request) => openService(definition, request) };
}

/** Tokens that are good at one time are few. */
const mostLearned = 20;

function openService<Config>(
  definition: ServiceDefinition<Config>,
  request: ServiceRequest,
): NotificationService {
  const { type } = definition;
  const { name = type } = request;
  const entry = name === type ? `service.${type}` : `service.${type}.${name}`;
  const { value: config, problems, warnings } = readFields(definition.config, request.config);
  if (config === undefined) throw new EntryError(entry, problems);
  const learned = new BoundedMap<string>(mostLearned);
  const tools = toolsOf(request, { name, hide: (secret) => learned.set(secret, secret) });
  const more = definition.check?.(config, tools) ?? [];
  if (more.length > 0) throw new EntryError(entry, more);
  const secrets = definition.secretsOf(config).flatMap((secret) => (secret ? [secret] : []));
  const send = definition.create(config, tools);
  return {
    type,
    name,
    warnings: [...warnings, ...warnOfTransport(config), ...(definition.warn?.(config) ?? [])],
    async send(notification, recipient, { signal }) {
      try {
        await send(notification, recipient, signal);
      } catch (error) {
        signal.throwIfAborted();
        const hidden = [...secrets, ...learned.entries().map(([secret]) => secret)];
        throw failureOf(error, { service: name, recipient, secrets: hidden });
      }
    },
  };
}

interface Sent {
  readonly service: string;
  readonly recipient: string;
  readonly secrets: readonly string[];
}

const quoted = 200;

/** What was answered is quoted with its first 200 characters, of which none are of a secret, cut or whole. */
function failureOf(error: unknown, { service, recipient, secrets }: Sent): SendError {
  const hide = (text: string) => mask(text, secrets);
  const sent = { service, recipient: hide(recipient) };
  if (!(error instanceof AnswerError))
    return new SendError({ ...sent, problem: hide(error instanceof Error ? error.message : String(error)) });
  const { message, said, status, mayRetry } = error;
  const shown = hide(said);
  const quote = shown.length > quoted ? `${shown.slice(0, quoted)}…` : shown;
  return new SendError({
    ...sent,
    problem: quote === "" ? message : `${message}: ${quote}`,
    status,
    mayRetry,
  });
}
