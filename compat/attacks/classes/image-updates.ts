/** Images that applications name: registries that lie, and credentials of others. */
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { eventually } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { createApplication, listing, type Sketch, secretRule, withRegistry } from "../image-world.ts";
import { withServer } from "../own-server.ts";

/** What alice is told of her application's images, until it says this: settings are read a moment after a change. */
async function told(world: AttackWorld, { says, ...sketch }: Sketch & { says: RegExp }): Promise<string> {
  await createApplication(world, sketch);
  let text = "";
  await eventually(
    async () => {
      const { status, body } = await world.ask(
        "alice",
        `GET /api/v1/applications/${sketch.name}/image-updates`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      text = JSON.stringify(body);
      await world.assertUnharmed([text]);
      return says.test(text) || undefined;
    },
    { signal: AbortSignal.timeout(90_000), describe: () => `it says ${text}` },
  );
  return text;
}

function namesSecret(
  name: string,
  { secret, says, threat }: { secret: string; says: RegExp; threat: string },
): Attack {
  return {
    id: `image-updates/${name}`,
    threat,
    heldBy: secretRule,
    play: async (world) => {
      const annotations = { "image-list": "x=registry.example/x", "pull-secret": secret };
      await told(world, { name: `images-${name}`, annotations, says });
    },
  };
}

export const attacks: readonly Attack[] = [
  {
    id: "image-updates/an-inner-registry",
    threat: "An application names as its registry an address of the machine on which Capstan runs",
    heldBy: "registries that no operator has named are not asked at inner addresses",
    play: async (world) => {
      const asked: string[] = [];
      await withServer(
        ({ url = "" }, response) => {
          asked.push(url);
          response.end("{}");
        },
        async (url) => {
          const annotations = { "image-list": `x=${new URL(url).host}/x` };
          await told(world, { name: "images-inner", annotations, says: /address of this machine/ });
          assert.deepEqual(asked, []);
        },
      );
    },
  },
  namesSecret("foreign-pull-secret", {
    secret: "secret:kube-system/token#password",
    says: /of another namespace/,
    threat: "An application names a Secret of another namespace, to be sent to a registry",
  }),
  namesSecret("control-pull-secret", {
    secret: "secret:argocd/argocd-secret#admin.password",
    says: /is not for applications/,
    threat:
      "An application of the control namespace names a Secret of Capstan's own, to be sent to a registry",
  }),
  namesSecret("environment", {
    secret: "env:HOME",
    says: /operator's registries\.conf alone/,
    threat: "An application names a variable of Capstan's process, to be sent to a registry",
  }),
  namesSecret("program", {
    secret: "ext:/usr/bin/id",
    says: /operator's registries\.conf alone/,
    threat: "An application names a program of Capstan's machine, to be run for credentials",
  }),
  {
    id: "image-updates/tags-that-are-none",
    threat: "A registry lists tags with line breaks, shell and YAML in them",
    heldBy: "what is no tag by the OCI specification is no tag",
    play: (world) => {
      const tags = [
        "9.9.9\nx: y",
        "9.9.9$(touch /tmp/x)",
        "9.9.9: {a: b}",
        "../9.9.9",
        "9.9.9 ",
        9,
        null,
        "1.0.0",
      ];
      return withRegistry(world, listing(tags), async (host) => {
        const annotations = { "image-list": `x=${host}/x`, "force-update": "true" };
        const text = await told(world, { name: "images-tags", annotations, says: /"to":"1\.0\.0"/ });
        assert.doesNotMatch(text, /9\.9\.9/);
      });
    },
  },
  {
    id: "image-updates/endless-pages",
    threat: "A registry's list of tags has no last page",
    heldBy: "a list is read to a hundred pages",
    play: async (world) => {
      let pages = 0;
      const listener: RequestListener = (request, response) => {
        pages += 1;
        listing([`1.0.${pages}`], { link: `</v2/x/tags/list?last=${pages}>; rel="next"` })(request, response);
      };
      await withRegistry(world, listener, async (host) => {
        const annotations = { "image-list": `x=${host}/x` };
        await told(world, { name: "images-pages", annotations, says: /more than 100 pages/ });
        assert.ok(pages <= 100, `${pages} pages`);
      });
    },
  },
  {
    id: "image-updates/a-huge-manifest",
    threat: "A registry answers for a manifest without an end",
    heldBy: "answers of registries have a largest size",
    play: (world) => {
      const listener: RequestListener = (request, response) => {
        if (request.url?.includes("/tags/")) return listing(["1.0.0"])(request, response);
        const chunk = Buffer.alloc(2 ** 20, " ");
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
      };
      return withRegistry(world, listener, async (host) => {
        const annotations = {
          "image-list": `x=${host}/x`,
          "force-update": "true",
          "update-strategy": "newest-build",
        };
        await told(world, { name: "images-huge", annotations, says: /larger than 4194304 bytes/ });
      });
    },
  },
];
