export const monthNames = "January February March April May June July August September October November December".split(
  " ",
);

/** As JavaScript counts them. */
export const weekdayNames = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
