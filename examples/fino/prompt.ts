import { environment, readText } from 'fino:ai/sandbox/capabilities';
export default async (path: string) => ({
mode: await environment('MODE'),
text: await readText(path),
});
