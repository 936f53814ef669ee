import { nearestName } from "@capstan/formats";
import type { Shape } from "@capstan/model/shapes";
import type { ServiceType } from "./sending/define-service.ts";
import { EntryError, type NotificationService, type ServiceRequest } from "./service.ts";
import { alertmanager } from "./services/alertmanager.ts";
import { awsSqs } from "./services/aws-sqs.ts";
import { email } from "./services/email.ts";
import { gcpPubsub } from "./services/gcp-pubsub.ts";
import { github } from "./services/github.ts";
import { googleChat } from "./services/google-chat.ts";
import { grafana } from "./services/grafana.ts";
import { mattermost } from "./services/mattermost.ts";
import { nats } from "./services/nats.ts";
import { newrelic } from "./services/newrelic.ts";
import { opsgenie } from "./services/opsgenie.ts";
import { pagerDuty, pagerDutyV2 } from "./services/pagerduty.ts";
import { pushover } from "./services/pushover.ts";
import { rocketChat } from "./services/rocket-chat.ts";
import { slack } from "./services/slack.ts";
import { teams } from "./services/teams.ts";
import { teamsWorkflows } from "./services/teams-workflows.ts";
import { telegram } from "./services/telegram.ts";
import { webex } from "./services/webex.ts";
import { webhook } from "./services/webhook.ts";

const types: readonly ServiceType[] = [
  alertmanager,
  awsSqs,
  email,
  gcpPubsub,
  github,
  googleChat,
  grafana,
  mattermost,
  nats,
  newrelic,
  opsgenie,
  pagerDuty,
  pagerDutyV2,
  pushover,
  rocketChat,
  slack,
  teams,
  teamsWorkflows,
  telegram,
  webex,
  webhook,
];

export const serviceTypes: readonly string[] = types.map(({ type }) => type);

/** What the entry of each may say. */
export const serviceShapes: Readonly<Record<string, Shape>> = Object.fromEntries(
  types.map(({ type, config }) => [type, config.shape]),
);

/** Reads an entry `service.<type>[.<name>]`. Throws EntryError where it cannot be used. Nothing is sent yet. */
export function createService(request: ServiceRequest): NotificationService {
  const found = types.find(({ type }) => type === request.type);
  if (found) return found.open(request);
  const near = nearestName(request.type, serviceTypes);
  const hint = near === undefined ? `there are ${serviceTypes.join(", ")}` : `did you mean ${near}?`;
  throw new EntryError(`service.${request.type}`, [`there is no service ${request.type}; ${hint}`]);
}
