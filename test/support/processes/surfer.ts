/** A browser without pages: it keeps cookies, and follows no redirect by itself. */
export const newSurfer = (base: string) => {
  const jar = new Map<string, string>();
  const open = async (path: string, options: Pick<RequestInit, 'method' | 'body'> = {}) => {
    const url = new URL(path, base);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { origin: url.origin, accept: 'text/html', cookie };
    const response = await fetch(url, { ...options, redirect: 'manual', headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value) jar.set(name!, value);
      else jar.delete(name!);
    }
    return {
      status: response.status,
      location: response.headers.get('location')!,
      text: await response.text(),
    };
  };
  return {
    jar,
    open,
    /** Signs in at the local identity provider. @returns the address by which it sends the browser back */
    signIn: async (email: string): Promise<string> => {
      const { location: authorize } = await open('/app/sign-in');
      const { location: who } = await open(authorize);
      const body = new URLSearchParams({ email });
      const { location: resume } = await open(who, { method: 'POST', body });
      return (await open(resume)).location;
    },
  };
};
