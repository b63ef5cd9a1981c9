// Runs CASES under the njs command line: appended to normalize.js and cases.js, whose names it uses.
// The shell around it reads the closing line.
var wrong = [];
CASES.forEach(function (one) {
  var got = outcomeOf(handler(eventOf(one[1])));
  if (got !== one[2]) {
    wrong.push(one[0] + ': ' + one[1] + ' gave ' + got + ', not ' + one[2]);
  }
});
wrong.forEach(function (line) { console.log(line); });
console.log((CASES.length - wrong.length) + ' passed, ' + wrong.length + ' failed');
