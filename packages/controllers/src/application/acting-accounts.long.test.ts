import { test } from "node:test";
import { httpTransport } from "@capstan/kube";
import { lackingRealCluster, realClock, startRealCluster } from "@capstan/testkit";
import { openSmallWorld, playActingAccounts } from "@capstan/testkit/worlds";

test("the real kube-apiserver refuses what an application's service account may not do", {
  skip: lackingRealCluster(),
}, async () => {
  await using cluster = await startRealCluster();
  const config = { server: cluster.url, bearerToken: cluster.token, insecure: true };
  await using transport = httpTransport(config, { clock: realClock });
  await using world = await openSmallWorld({ transport });
  await playActingAccounts(world);
});
