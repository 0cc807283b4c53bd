/** What both kinds have in common: before the controller has looked at the newest spec there is nothing to tell. */
const OPENING = `local hs = { status = "Progressing", message = "waiting for the controller" }
local status = obj.status
if status == nil or status.observedGeneration == nil or status.observedGeneration ~= obj.metadata.generation then
  return hs
end
if status.conditions ~= nil then
  for _, condition in ipairs(status.conditions) do
    if condition.type == "Ready" and condition.message ~= nil then
      hs.message = condition.message
    end
  end
end
`;

/** Lua that leaves the waiting of the opening when the phase is one of these. */
function healthByPhase(healthOf: Readonly<Record<string, string>>): string {
  const rows = Object.entries(healthOf).map(([phase, health]) => `  ${phase} = "${health}",\n`);
  return `${OPENING}local health = {
${rows.join('')}}
if status.phase ~= nil and health[status.phase] ~= nil then
  hs.status = health[status.phase]
end
return hs
`;
}

/** Health of a HermesAgent for Argo CD. */
export const agentHealth = healthByPhase({
  Bootstrap: 'Progressing',
  Provisioning: 'Progressing',
  Ready: 'Healthy',
  Degraded: 'Degraded',
  Suspended: 'Suspended',
});

/** Health of an AgentRun for Argo CD. */
export const runHealth = healthByPhase({
  Pending: 'Progressing',
  Running: 'Progressing',
  Succeeded: 'Healthy',
  Failed: 'Degraded',
});
