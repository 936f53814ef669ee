import { map, object, optional, string } from "@capstan/model/shapes";
import { AnswerError, expectSuccess } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders, withoutEmpty } from "../sending/json.ts";

/** Incidents of PagerDuty's REST API (pkg/services/pagerduty.go). The recipient is a service's id. */
export const pagerDuty = defineService({
  type: "pagerduty",
  config: object({ token: string(), from: optional(string()), serviceId: optional(string()) }),
  secretsOf: ({ token }) => [token],
  warn: ({ serviceId }) =>
    serviceId === undefined ? [] : ["serviceId has no effect: the recipient is the service's id"],
  create({ token, from = "" }, { asker }) {
    const ask = asker();
    const headers = {
      ...jsonHeaders,
      accept: "application/vnd.pagerduty+json;version=2",
      authorization: `Token token=${token}`,
      from,
    };
    return async ({ pagerduty: part }, recipient, signal) => {
      if (!part) throw new Error("the template has no part pagerduty");
      const { title, body, urgency, priorityId } = part;
      const incident = {
        type: "incident",
        title,
        service: withoutEmpty({ id: recipient, type: "service_reference" }),
        priority: withoutEmpty({ id: priorityId, type: "priority" }),
        ...withoutEmpty({ urgency }),
        // The tab is the engine's.
        body: withoutEmpty({ type: "incident_details\t", details: body }),
      };
      const asked = { method: "POST", headers, body: JSON.stringify({ incident }) };
      expectSuccess(await ask("https://api.pagerduty.com/incidents", asked, signal));
    };
  },
});

/** Events of PagerDuty's Events API (pkg/services/pagerdutyv2.go). The recipient is a name in `serviceKeys`. */
export const pagerDutyV2 = defineService({
  type: "pagerdutyv2",
  config: object({ serviceKeys: map(string()) }),
  secretsOf: ({ serviceKeys }) => Object.values(serviceKeys),
  create({ serviceKeys }, { asker }) {
    const ask = asker();
    return async ({ pagerdutyv2: part }, recipient, signal) => {
      const key = Object.hasOwn(serviceKeys, recipient) ? serviceKeys[recipient] : undefined;
      if (key === undefined) throw new Error("serviceKeys has no such recipient");
      if (!part) throw new Error("the template has no part pagerdutyv2");
      const { summary, source, severity, component, group, class: kind, url, dedupKey } = part;
      const event = {
        routing_key: key,
        event_action: "trigger",
        client: "ArgoCD",
        ...withoutEmpty({ dedup_key: dedupKey, client_url: url }),
        payload: { summary, source, severity, ...withoutEmpty({ component, group, class: kind }) },
      };
      const asked = { method: "POST", headers: jsonHeaders, body: JSON.stringify(event) };
      const answer = await ask("https://events.pagerduty.com/v2/enqueue", asked, signal);
      if (answer.status !== 202) throw new AnswerError(answer);
    };
  },
});
