import { isRecord } from "@capstan/formats";
import { object, optional, type Static, string } from "@capstan/model/shapes";
import { type AwsCredentials, awsErrorType, callAws, readAwsCredentials } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import type { Notification } from "../notification.ts";
import { defineService } from "../sending/define-service.ts";
import type { Tools } from "../sending/tools.ts";

const schema = object({
  queue: optional(string()),
  account: optional(string()),
  region: optional(string()),
  endpointUrl: optional(string()),
  key: optional(string()),
  secret: optional(string()),
});
type Config = Static<typeof schema>;

/** notifications-engine's. */
const delaySeconds = 10;

/** Queues of AWS SQS (pkg/services/awssqs.go). The recipient is a queue's name in place of the entry's. */
export const awsSqs = defineService({
  type: "awssqs",
  config: schema,
  secretsOf: ({ secret }) => [secret],
  check: (config, { guarded, environment }) => [
    ...(guarded && !(config.key && config.secret)
      ? ["key and secret are required in an entry of an application's namespace"]
      : []),
    ...(regionOf(config, environment) === ""
      ? ["region is required: neither it nor AWS_DEFAULT_REGION is set"]
      : []),
  ],
  create(config, tools) {
    const call = caller(config, tools);
    return async (notification, recipient, signal) => {
      const QueueName = recipient || config.queue;
      if (!QueueName) throw new Error("there is no queue: neither the entry nor the recipient names one");
      const owner = config.account ? { QueueOwnerAWSAccountId: config.account } : {};
      const { QueueUrl } = await call("GetQueueUrl", { QueueName, ...owner }, signal);
      if (typeof QueueUrl !== "string") throw new Error("AWS gives no address of the queue");
      await call("SendMessage", { QueueUrl, ...messageOf(notification, QueueName) }, signal);
    };
  },
});

type Call = (
  action: string,
  body: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<Record<string, unknown>>;

function caller(config: Config, { clock, environment, guarded, proxy }: Tools): Call {
  const { key, secret, endpointUrl } = config;
  const region = regionOf(config, environment);
  const settings = new Settings({}, environment);
  return async (action, body, signal) => {
    const needs = { clock, signal, guarded, proxy };
    const own: AwsCredentials | undefined =
      key && secret ? { accessKeyId: key, secretAccessKey: secret } : undefined;
    const credentials = own ?? (await readAwsCredentials(settings, needs));
    const asked = {
      service: "sqs",
      region,
      endpoint: endpointUrl || undefined,
      target: `AmazonSQS.${action}`,
      body,
    };
    const answer = await callAws({ ...asked, version: "1.0" }, credentials, needs);
    const said = isRecord(answer.body) ? answer.body : {};
    if (answer.status === 200) return said;
    throw new Error(`AWS answers ${answer.status} ${awsErrorType(said)} to ${action}: ${said.message ?? ""}`);
  };
}

function messageOf({ message = "", awssqs: part }: Notification, queue: string) {
  const attributes = Object.entries(part?.messageAttributes ?? {}).filter(([, value]) => value !== "");
  const typed = attributes.map(([name, value]) => [name, { DataType: "String", StringValue: value }]);
  return {
    MessageBody: message,
    // A first-in-first-out queue takes no message with a delay of its own.
    ...(queue.endsWith(".fifo") ? {} : { DelaySeconds: delaySeconds }),
    ...(part?.messageGroupId ? { MessageGroupId: part.messageGroupId } : {}),
    ...(typed.length > 0 ? { MessageAttributes: Object.fromEntries(typed) } : {}),
  };
}

function regionOf({ region }: Pick<Config, "region">, environment: Tools["environment"]): string {
  return region || environment.AWS_DEFAULT_REGION || environment.AWS_REGION || "";
}
