/** Drops every revision but the newest. etcd speaks JSON beside gRPC on its client port. */
export async function compactEtcd(port: number): Promise<void> {
  const { header } = (await call(port, 'range', { key: Buffer.from('/').toString('base64'), count_only: true })) as {
    readonly header: { readonly revision: string };
  };
  await call(port, 'compaction', { revision: header.revision, physical: true });
}

async function call(port: number, method: string, body: object): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/v3/kv/${method}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`etcd ${method}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
