// Counts business days between two dates and finds the last Friday of each month.
const DAY = 24 * 60 * 60 * 1000;
const utc = (text) => new Date(`${text}T00:00:00Z`);
const format = (date) => date.toISOString().slice(0, 10);

function businessDays(from, to, holidays = new Set()) {
  let count = 0;
  for (let time = utc(from).getTime(); time <= utc(to).getTime(); time += DAY) {
    const date = new Date(time);
    const weekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
    if (!weekend && !holidays.has(format(date))) count++;
  }
  return count;
}

const lastFridays = Array.from({ length: 12 }, (_, month) => {
  const end = new Date(Date.UTC(2024, month + 1, 0));
  end.setUTCDate(end.getUTCDate() - ((end.getUTCDay() + 2) % 7));
  return end;
});

const result = {
  days: businessDays('2024-02-01', '2024-03-31', new Set(['2024-03-29'])),
  leap: new Date(2024, 1, 29).getDate() === 29,
  lastFridays: lastFridays.slice(0, 3),
  label: lastFridays[11].toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric' }),
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};
result;
