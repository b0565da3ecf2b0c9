import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { Zone } from './time';

const KEY = 'zone';
const TICK_MS = 10_000;

const Clock = createContext<{ zone: Zone; setZone: (zone: Zone) => void; now: Date }>({
  zone: 'local',
  setZone: () => {},
  now: new Date(),
});

/** The user's choice in this browser. */
export function storedZone(): Zone {
  return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
}

/** The person's zone, and one clock for all relative times of the page. */
export function ZoneProvider({ children }: { children: ReactNode }) {
  const [zone, setStored] = useState<Zone>(storedZone);
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const value = useMemo(() => {
    const setZone = (chosen: Zone) => {
      localStorage.setItem(KEY, chosen);
      setStored(chosen);
    };
    return { zone, setZone, now };
  }, [zone, now]);
  return <Clock value={value}>{children}</Clock>;
}

export const useZone = () => useContext(Clock);
