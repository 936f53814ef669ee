import type { Part } from "../template/part.ts";
import { alertmanagerPart } from "./alertmanager.ts";
import { mattermostPart, rocketChatPart } from "./attachments.ts";
import { emailPart } from "./email.ts";
import { githubPart } from "./github.ts";
import { googleChatPart } from "./google-chat.ts";
import { messagePart } from "./message.ts";
import { newrelicPart } from "./newrelic.ts";
import { opsgeniePart } from "./opsgenie.ts";
import { pagerDutyPart, pagerDutyV2Part } from "./pagerduty.ts";
import { awsSqsPart, gcpPubsubPart } from "./queues.ts";
import { slackPart } from "./slack.ts";
import { teamsPart, teamsWorkflowsPart } from "./teams.ts";
import { webhookPart } from "./webhook.ts";

/** What a template may have. */
export const parts: readonly Part[] = [
  messagePart,
  alertmanagerPart,
  awsSqsPart,
  emailPart,
  gcpPubsubPart,
  githubPart,
  googleChatPart,
  mattermostPart,
  newrelicPart,
  opsgeniePart,
  pagerDutyPart,
  pagerDutyV2Part,
  rocketChatPart,
  slackPart,
  teamsPart,
  teamsWorkflowsPart,
  webhookPart,
];
