import { writeText, readText, list, spawn, environment } from 'realm:capabilities'
export default async (dir) => {
  await writeText(dir + '/a', 'x'.repeat(1e6))
  const { stdout } = await spawn('/bin/sh', ['-c', '/bin/ls /; exec /bin/cat /etc/passwd'])
  return [(await readText(dir + '/a')).length, (await list(dir)).length, stdout.length > 0, await environment('MODE')]
}
